import type { BusShelf } from '../../bus/bus-shelf.ts'
import { cutToCharacters } from '../../kit/pure/cut.ts'
import { parseAgentId } from '../../model/agent.ts'
import type { BusPlace } from '../../model/bus/entry.ts'
import { placeName } from '../../model/bus/place.ts'
import { asPosternError, PosternError } from '../../model/errors.ts'
import type { PushResult } from '../../model/postern.ts'
import type { Context } from '../context.ts'
import { pushUnderKey } from '../inbox/push.ts'
import { shorten } from '../notices/subject.ts'
import { requireAgent } from '../registry/find.ts'
import type { Draft } from './draft.ts'

const EXCERPT_CHARACTERS = 500
const REF_CHARACTERS = 300

/** Ids of others stand in a file that anybody can write, and go into a command only where they can be nothing else. */
const PLAIN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/** Whom to tell of an entry. They are looked for before it is written. */
export async function requireRecipients(ctx: Context, to: readonly string[]): Promise<readonly string[]> {
  const limit = ctx.limits.recipientsPerPush
  if (to.length > limit) {
    const next = `Name at most ${limit}.`
    throw new PosternError('VALUE_INVALID', { field: 'number of recipients', value: to.length, next })
  }
  const ids = [...new Set(to.map((id) => parseAgentId(id)))].sort()
  for (const id of ids) await requireAgent(ctx.store.read, id)
  return ids
}

const MEANWHILE = { limit: 100, maxBytes: 1024 * 1024 }

/** The entry right before one that is written: others may have written since `last` was the last. */
async function findBefore(place: BusPlace, { shelf, last, msgId }: WrittenEntry): Promise<Before> {
  try {
    const { items } = await shelf.read(place, { ...MEANWHILE, ...(last !== undefined && { after: last }) })
    const at = items.findIndex(({ msg_id }) => msg_id === msgId)
    return at < 0 ? 'unknown' : { id: at === 0 ? last : items[at - 1]?.msg_id }
  } catch {
    // Somebody has cleaned up meanwhile.
    return 'unknown'
  }
}

/** An entry; or none where it is the first. */
type Before = { readonly id: string | undefined } | 'unknown'

export interface WrittenEntry {
  readonly shelf: Pick<BusShelf, 'read'>
  readonly to: readonly string[]
  /** The last entry of the bus before this one was written, as far as anybody knew. */
  readonly last: string | undefined
  readonly msgId: string
}

export interface ToldAgents {
  readonly messageId: string | null
  readonly warnings: readonly string[]
}

/** Points agents to an entry that is written. That it stands there is certain, whatever becomes of this. */
export async function tellAgents(ctx: Context, draft: Draft, written: WrittenEntry): Promise<ToldAgents> {
  const { to, msgId } = written
  if (to.length === 0) return { messageId: null, warnings: [] }
  const { header, text } = draft
  const { type, project_id, task_id } = header
  const place = placeName(header)
  const ref = `bus:${place}:${msgId}`
  try {
    const { id, recipients } = await pushUnderKey(ctx, `bus:${msgId}`, {
      to,
      type: 'bus.entry',
      subject: storable(`${type} on ${place}: ${shorten(text.trim())}`),
      content: storable(
        [
          `${ctx.caller.id} wrote a ${type} on the bus of ${place}:`,
          cutToCharacters(text, EXCERPT_CHARACTERS),
          `Read it with: ${commandFor(header, await findBefore(draft.place, written))}`,
        ].join('\n'),
      ),
      payload: { project_id, ...(task_id !== undefined && { task_id }), msg_id: msgId, type },
      ...(ref.length <= REF_CHARACTERS && { ref }),
    })
    return { messageId: id, warnings: warningsOf(recipients) }
  } catch (error) {
    const { message } = asPosternError(error)
    return { messageId: null, warnings: [`${to.join(', ')} could not be told: ${message}`] }
  }
}

function warningsOf(recipients: PushResult['recipients']): readonly string[] {
  const held = recipients.filter(({ state }) => state === 'held').map(({ agent }) => agent)
  if (held.length === 0) return []
  return [`The message is held for ${held.join(', ')}: a program writes too often. A person can let it go.`]
}

/** The first entry after the one before it; where that cannot be named, among the last ones. */
function commandFor({ project_id, task_id }: BusPlace, before: Before): string {
  const bus = `postern bus read --project ${project_id}${task_id === undefined ? '' : ` --task ${task_id}`}`
  if (before === 'unknown') return `${bus} --tail 20`
  if (before.id === undefined) return `${bus} --tail 0 --limit 1`
  return PLAIN_ID.test(before.id) ? `${bus} --after ${before.id} --limit 1` : `${bus} --tail 20`
}

function storable(text: string): string {
  return text.replaceAll('\0', '\u{2400}')
}
