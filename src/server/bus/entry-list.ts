import type { BusPage } from '../../model/bus/bus.ts'
import { formatCursor } from '../../model/bus/cursor-text.ts'
import { toWire } from '../../model/network/wire-json.ts'
import type { Operation } from '../../operations/operation.ts'
import { type Asking, jsonReply, type Reply } from '../exchange.ts'

/** Whether a route answers in the form of seed 002: with a list of entries, and not with the page that clients use. */
export function isEntryList({ name, http }: Operation, route: string): boolean {
  return name === 'bus.read' && route !== http[0]
}

/** The entries alone. Where to go on, whether there is more, and how much could not be read stands in the headers. */
export function entryListReply(asking: Asking, { items, cursor, hasMore, faults }: BusPage): Reply {
  const text = cursor === null ? undefined : formatCursor(cursor)
  return jsonReply(200, toWire(items), {
    ...(text !== undefined && { 'x-postern-cursor': text }),
    ...(cursor !== null && text !== undefined && hasMore && { link: `<${nextPage(asking, cursor)}>; rel="next"` }),
    ...(faults.length > 0 && { 'x-postern-faults': String(faults.length) }),
  })
}

function nextPage({ path, query }: Asking, cursor: string): string {
  const next = new URLSearchParams(query)
  next.delete('ticket')
  next.delete('tail')
  next.set('after', cursor)
  return `${path.replaceAll('>', '%3E')}?${next}`
}
