import { parseAgentId } from '../../model/agent.ts'
import { isConfined } from '../../model/caller.ts'
import type { Message } from '../../model/message.ts'
import type { SearchMessages } from '../../model/postern.ts'
import { parseSearch, type SearchPart } from '../../model/search.ts'
import { parseText } from '../../model/text.ts'
import type { Context } from '../context.ts'
import { takeUpBroadcasts } from './broadcasts.ts'
import { parsePageLimit } from './list.ts'

const QUERY_BYTES = 1_000
const INDEX_SLICE = 1_000

/** Full-text search. What was pushed since the last query is indexed first, so nothing is missing. */
export async function searchMessages(ctx: Context, input: SearchMessages): Promise<readonly Message[]> {
  const parts = parseSearch(parseText('query', input.query, QUERY_BYTES))
  const limit = parsePageLimit(input.limit)
  const agent = input.agent === undefined ? undefined : parseAgentId(input.agent)
  if (parts.length === 0) return []
  const indexSlice = () => ctx.store.transact((tx) => tx.messages.indexForSearch({ limit: INDEX_SLICE }))
  while ((await indexSlice()) === INDEX_SLICE);
  if (isConfined(ctx.caller)) return searchOwn(ctx, { parts, limit, about: agent })
  return ctx.store.read.messages.search({ parts, limit, ...(agent !== undefined && { agent }) })
}

/** A program that sees only what concerns it finds nothing else; of another agent it finds what both know. */
async function searchOwn(
  ctx: Context,
  { parts, limit, about }: { parts: readonly SearchPart[]; limit: number; about: string | undefined },
): Promise<readonly Message[]> {
  await takeUpBroadcasts(ctx, ctx.caller.id)
  return ctx.store.read.messages.search({ parts, limit, agent: ctx.caller.id, shared: about })
}
