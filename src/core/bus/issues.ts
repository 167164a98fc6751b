import type { BusPlace } from '../../model/bus/entry.ts'
import type { IssueGraph } from '../../model/bus/issue.ts'
import { createIssueLog } from '../../model/bus/issues.ts'
import { parsePlace, placeName } from '../../model/bus/place.ts'
import { PosternError } from '../../model/errors.ts'
import type { Context } from '../context.ts'
import { PAGE_BYTES } from './pages.ts'

const PAGE_ENTRIES = 5_000

/** More than anybody has written about issues, and less than memory holds. */
const MAX_ENTRIES = 1_000_000

/** Reads all of a bus, a page at a time, and keeps of it what concerns issues. */
export async function busIssues(ctx: Context, input: BusPlace): Promise<IssueGraph> {
  const place = parsePlace(input)
  const { shelf } = await ctx.bus()
  const log = createIssueLog()
  let after: string | undefined
  for (let read = 0; read < MAX_ENTRIES; ) {
    const query = { limit: PAGE_ENTRIES, maxBytes: PAGE_BYTES }
    const page = after === undefined ? await shelf.read(place, query) : await shelf.readOn(place, { ...query, after })
    for (const entry of page.items) log.add(entry)
    after = page.items.at(-1)?.msg_id ?? after
    read += page.items.length
    if (!page.hasMore || page.items.length === 0) return log.graph(place)
  }
  throw new PosternError('BUS_UNUSABLE', {
    path: `of ${placeName(place)}`,
    reason: `it has more than ${MAX_ENTRIES} entries, too many to tell its issues`,
  })
}
