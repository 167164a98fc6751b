import type { AppendedEntry, BusShelf } from '../../bus/bus-shelf.ts'
import type { PostEntry, PostedEntry } from '../../model/bus/bus.ts'
import type { DraftedHeader } from '../../model/bus/draft.ts'
import { BUS_LIMITS, type BusMeta } from '../../model/bus/entry.ts'
import { agentOf } from '../../model/caller.ts'
import type { Context } from '../context.ts'
import { type Attached, prepareAttachments } from './attach.ts'
import { type Draft, draftEntry } from './draft.ts'
import { expectedMeta, findQuestion, type Settled, settle } from './question.ts'
import { findBefore, requireRecipients, tellAgents } from './tell.ts'

/**
 * Writes an entry. What can be refused is looked at before anything is done, so that whoever is refused leaves nothing
 * behind. What follows from the entry, such as that somebody is told of it, never takes it back.
 */
export async function postEntry(ctx: Context, input: PostEntry): Promise<PostedEntry> {
  const draft = draftEntry(input)
  const to = await requireRecipients(ctx, input.to ?? [])
  const shelf = await ctx.bus()
  const { question, warnings } = await findQuestion(ctx, shelf, draft)
  const { expected, attach } = await prepareAttachments(shelf, draft.place, input)
  const entry = { ...draft.header, meta: metaOf(ctx, draft) }
  shelf.check({ ...entry, ...expected, meta: { ...entry.meta, ...expectedMeta(question, input) } })

  const last = to.length === 0 ? undefined : await shelf.lastId(draft.place)
  const settled = await settle(ctx, draft, { question, input })
  const written = await write(shelf, draft, { entry, settled, attach })
  const told = await tellAgents(ctx, draft, {
    to,
    msgId: written.msg_id,
    before: () => findBefore(shelf, draft.place, { last, msgId: written.msg_id }),
  })
  return {
    msg_id: written.msg_id,
    ts: written.ts,
    warnings: [...warnings, ...warningsOf(draft, written), ...told.warnings],
    messageId: told.messageId,
    decisionId: settled.decisionId,
  }
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
