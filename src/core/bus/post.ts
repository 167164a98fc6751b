import type { AppendedEntry, BusShelf } from '../../bus/bus-shelf.ts'
import type { PostEntry, PostedEntry } from '../../model/bus/bus.ts'
import type { DraftedHeader } from '../../model/bus/draft.ts'
import { BUS_LIMITS, type BusMeta } from '../../model/bus/entry.ts'
import { agentOf } from '../../model/caller.ts'
import type { Context } from '../context.ts'
import { type Attached, prepareAttachments } from './attach.ts'
import { type Draft, draftEntry } from './draft.ts'
import type { FoundQuestion, Settled } from './question.ts'
import type { Told } from './tell.ts'

const NO_QUESTION: FoundQuestion = { question: undefined, warnings: [] }
const NOTHING_SETTLED: Settled = { decisionId: null, meta: {}, takeBack: async () => {} }
const NOBODY_TOLD: Told = { messageId: null, warnings: [] }

/**
 * Writes an entry. What can be refused is looked at before anything is done, so that whoever is refused leaves nothing
 * behind. What follows from the entry, such as that somebody is told of it, never takes it back. Few entries ask, answer or
 * tell anybody: what does is loaded on use.
 */
export async function postEntry(ctx: Context, input: PostEntry): Promise<PostedEntry> {
  const draft = draftEntry(input)
  const { to: named = [] } = input
  const telling = named.length > 0 ? await import('./tell.ts') : undefined
  const to = (await telling?.requireRecipients(ctx, named)) ?? []
  const { shelf } = await ctx.bus()
  const questions = isBridge(draft, input) ? await import('./question.ts') : undefined
  const { question, warnings } = (await questions?.findQuestion(ctx, shelf, draft)) ?? NO_QUESTION
  const { expected, attach } = await prepareAttachments(shelf, draft.place, input)
  const entry = { ...draft.header, meta: metaOf(ctx, draft) }
  shelf.check({ ...entry, ...expected, meta: { ...entry.meta, ...questions?.expectedMeta(question, input) } })

  const last = telling && (await shelf.lastId(draft.place))
  const settled = (await questions?.settle(ctx, draft, { question, input })) ?? NOTHING_SETTLED
  const written = await write(shelf, draft, { entry, settled, attach })
  const { msg_id: msgId } = written
  const told = telling
    ? await telling.tellAgents(ctx, draft, {
        to,
        msgId,
        before: () => telling.findBefore(shelf, draft.place, { last, msgId }),
      })
    : NOBODY_TOLD
  return {
    msg_id: msgId,
    ts: written.ts,
    warnings: [...warnings, ...warningsOf(draft, written), ...told.warnings],
    messageId: told.messageId,
    decisionId: settled.decisionId,
  }
}

/** Whether an entry may have to do with a question to people. */
function isBridge({ header }: Draft, { ask, select }: PostEntry): boolean {
  return header.type === 'ANSWER' || ask !== undefined || select !== undefined
}

/** Who writes is the caller. Somebody who has not said who they are has no name to give. */
function metaOf({ caller }: Context, { header }: Draft): BusMeta {
  const from = agentOf(caller)
  return {
    ...(from !== undefined && { from, ...(caller.verified && { from_verified: true }) }),
    ...header.meta,
  }
}

async function write(
  shelf: BusShelf,
  { place, body }: Draft,
  { entry, settled, attach }: Matter,
): Promise<AppendedEntry> {
  const { meta: said = {}, ...header } = entry
  const meta = { ...said, ...settled.meta }
  try {
    const attached = await attach()
    return await shelf.append(place, {
      ...header,
      ...attached,
      ...(Object.keys(meta).length > 0 && { meta }),
      body: settled.body ?? body,
    })
  } catch (error) {
    await settled.takeBack()
    throw error
  }
}

/** What an entry is put together from. */
interface Matter {
  readonly entry: DraftedHeader
  readonly settled: Settled
  attach(): Promise<Attached>
}

function warningsOf({ body }: Draft, { repaired }: AppendedEntry): readonly string[] {
  const isLarge = body.length > BUS_LIMITS.softBodyBytes
  return [
    ...(isLarge ? [`The body has ${body.length} bytes. Attach what is as large, and say in the body what it is.`] : []),
    ...(repaired ? [`What somebody left half written before it was closed: ${repaired.reason}.`] : []),
  ]
}
