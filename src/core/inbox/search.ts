import { parseAgentId } from '../../model/agent.ts'
import { isConfined } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { Message } from '../../model/message.ts'
import type { SearchMessages } from '../../model/postern.ts'
import { parseSearch } from '../../model/search.ts'
import { parseText } from '../../model/text.ts'
import type { Found, SearchParams } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { parsePageLimit } from './list.ts'

const QUERY_BYTES = 1_000
const INDEX_SLICE = 1_000
/** How many pages of messages that are not indexed are read for one query. */
const MOST_PAGES = 50

/**
 * Full-text search. Upkeep indexes pushed messages. A search reads the texts of messages not yet indexed, so it misses
 * none. If
 * those are more than one query may read, a process without upkeep indexes them first; a server throws SEARCH_NOT_READY.
 */
export async function searchMessages(ctx: Context, input: SearchMessages): Promise<readonly Message[]> {
  const parts = parseSearch(parseText('query', input.query, QUERY_BYTES))
  const limit = parsePageLimit(input.limit)
  const agent = input.agent === undefined ? undefined : parseAgentId(input.agent)
  if (parts.length === 0) return []
  // A program that sees only what concerns it finds nothing else; of another agent it finds what both know.
  const own = { agent: ctx.caller.id, shared: agent }
  const whose = isConfined(ctx.caller) ? own : agent === undefined ? {} : { agent }
  const wanted = { parts, limit, ...whose }
  const found = await find(ctx, wanted)
  if (found) return found
  if (ctx.hasUpkeep) throw new PosternError('SEARCH_NOT_READY')
  while (await ctx.store.transact((tx) => tx.messages.indexForSearch({ limit: INDEX_SLICE }))) await pause(ctx)
  const complete = await find(ctx, wanted)
  if (!complete) throw new PosternError('SEARCH_NOT_READY')
  return complete
}

/**
 * Newest first; undefined if too many messages are not indexed. Scan those before the index: a message that is indexed
 * meanwhile is
 * then found twice, and not missed.
 */
async function find(ctx: Context, wanted: SearchParams): Promise<readonly Message[] | undefined> {
  const { messages } = ctx.store.read
  const found = new Map<string, Found>()
  const add = (each: Found) => found.set(each.message.id, each)
  let before: number | undefined
  for (let pages = 0; pages < MOST_PAGES && found.size < wanted.limit; pages++) {
    const page = await messages.searchUnindexed({ ...wanted, before })
    page.found.forEach(add)
    before = page.before
    if (before === undefined) break
    await pause(ctx)
  }
  if (before !== undefined && found.size < wanted.limit) return undefined
  if (found.size < wanted.limit) (await messages.search(wanted)).forEach(add)
  const newestFirst = [...found.values()].toSorted((a, b) => b.seq - a.seq)
  return newestFirst.slice(0, wanted.limit).map(({ message }) => message)
}

/** Lets other work of this process run. */
function pause(ctx: Context): Promise<void> {
  return new Promise((resolve) => ctx.timers.after(0, resolve))
}
