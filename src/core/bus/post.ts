import type { AppendedEntry, PreparedEntry } from '../../bus/bus-shelf.ts'
import type { PostEntry, PostedEntry } from '../../model/bus/bus.ts'
import { BUS_LIMITS, type BusMeta } from '../../model/bus/entry.ts'
import { agentOf, isProgram } from '../../model/caller.ts'
import type { Context } from '../context.ts'
import { type PreparedAttachments, prepareAttachments } from './attach.ts'
import { type Draft, draftEntry } from './draft.ts'
import { takeNewFiles } from './new-files.ts'
import { type PreparedDecision, prepareDecision } from './question.ts'
import { requireRecipients, tellAgents } from './tell.ts'

/**
 * Writes an entry. Everything that can be refused is refused first: the entry is whole before a decision is recorded or a
 * file kept for it, so a refused caller leaves nothing behind. What follows from the entry, such as the message that
 * tells agents of it, never takes it back.
 */
export async function postEntry(ctx: Context, input: PostEntry): Promise<PostedEntry> {
  const draft = draftEntry(input)
  const { place, header } = draft
  const to = await requireRecipients(ctx, input.to ?? [])
  const { shelf } = await ctx.bus()
  const decision = await prepareDecision(ctx, shelf, { draft, input })
  const attachments = await prepareAttachments(shelf, place, input)
  const entry = shelf.prepare(place, {
    ...header,
    ...attachments.attached,
    meta: { ...writerOf(ctx), ...header.meta, ...decision.meta },
    body: decision.body ?? draft.body,
  })

  if (isProgram(ctx.caller)) {
    const files = { isNewBus: !(await shelf.exists(place)), isAttaching: attachments.isStored }
    if (files.isNewBus || files.isAttaching) await takeNewFiles(ctx, files)
  }
  const last = to.length > 0 ? await shelf.lastId(place) : undefined
  await decision.record()
  const written = await write(entry, { decision, attachments })

  const { msg_id: msgId, ts } = written
  const told = await tellAgents(ctx, draft, { shelf, to, last, msgId })
  return {
    msg_id: msgId,
    ts,
    warnings: [...decision.warnings, ...warningsOf(draft, written), ...told.warnings],
    messageId: told.messageId,
    decisionId: decision.id,
  }
}

/** The writer is the caller. One that has not said who it is has no name to give. */
function writerOf({ caller }: Context): BusMeta {
  const from = agentOf(caller)
  return from === undefined ? {} : { from, ...(caller.verified && { from_verified: true }) }
}

interface Prepared {
  readonly decision: PreparedDecision
  readonly attachments: PreparedAttachments
}

async function write(entry: PreparedEntry, { decision, attachments }: Prepared): Promise<AppendedEntry> {
  try {
    await attachments.keep()
    return await entry.append()
  } catch (error) {
    await decision.takeBack()
    throw error
  }
}

function warningsOf({ body }: Draft, { repaired }: AppendedEntry): readonly string[] {
  const isLarge = body.length > BUS_LIMITS.softBodyBytes
  return [
    ...(isLarge ? [`The body has ${body.length} bytes. Attach what is as large, and say in the body what it is.`] : []),
    ...(repaired ? [`What somebody left half written before it was closed: ${repaired.reason}.`] : []),
  ]
}
