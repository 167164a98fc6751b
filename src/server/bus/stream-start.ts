import type { Bus, ReadBus } from '../../model/bus/bus.ts'
import { parseCursor } from '../../model/bus/cursor-text.ts'
import { requireAccess } from '../../operations/access.ts'
import { parseInput, readQuery } from '../../operations/input.ts'
import { declaredOperation } from '../../operations/table.ts'
import type { Streaming } from '../exchange.ts'
import { type EntriesWanted, type EntryNews, PAGE, toNews } from './shared-waits.ts'

/** What a stream is asked for, and where it begins. */
export interface StreamStart {
  /** Where the client is before anything is sent: a cursor, or the place before the first entry. */
  readonly from: string
  /** What is there already, as far as it is wanted. */
  readonly news: EntryNews
  /** What comes after a cursor, or after the place before the first entry. */
  wantedAfter(cursor: string): EntriesWanted
}

/** The place before the first entry, for those who come while there is none. */
export const BEGINNING = '0'

/** Reads what the URL asks for, and looks for it. Throws where it cannot be. */
export async function startOf(streaming: Streaming, params: Readonly<Record<string, string>>): Promise<StreamStart> {
  const { after, tail, limit: _, ...wanted } = await readWanted(streaming, params)
  const { bus } = streaming.postern
  const wantedAfter = (cursor: string) => (cursor === BEGINNING ? wanted : { ...wanted, after: cursor })
  const lastSeen = lastSeenBy(streaming)
  if (lastSeen === undefined && (after !== undefined || tail !== undefined)) {
    const page = await bus.read({ ...wanted, limit: PAGE, ...(after && { after }), ...(tail && { tail }) })
    return { from: after || BEGINNING, news: toNews(page), wantedAfter }
  }
  const from = (lastSeen ?? (await lastOf(bus, wanted))) || BEGINNING
  const page = await bus.wait({ ...wantedAfter(from), limit: PAGE, timeoutMs: 0 })
  // What is gone may be back in a moment: who waits finds out. A cursor that stays where it is stands on an entry.
  const isGone = page.hasGap && page.cursor !== from
  return { from, news: isGone ? NOTHING : toNews(page), wantedAfter }
}

const NOTHING: EntryNews = { bundles: () => [], cursor: null, hasGap: false }

async function readWanted({ query, identity }: Streaming, params: Readonly<Record<string, string>>): Promise<ReadBus> {
  const readBus = declaredOperation('bus.read')
  const asked = new URLSearchParams(query)
  asked.delete('ticket')
  const input = parseInput(readBus, { ...readQuery(readBus, asked), ...params })
  await requireAccess(readBus, { identity, ownsSession: async () => false }, input)
  return input as unknown as ReadBus
}

/** Whoever comes back says by a header where it was, which counts more than where it began. */
function lastSeenBy({ request }: Streaming): string | undefined {
  const lastSeen = request.headers['last-event-id']
  return lastSeen ? parseCursor(String(lastSeen)) : undefined
}

/** Where a bus ends now, whatever of it is wanted. */
async function lastOf(bus: Bus, { types: _, issue_id: __, run_id: ___, ...whole }: EntriesWanted): Promise<string> {
  return (await bus.read({ ...whole, tail: 1 })).cursor ?? ''
}
