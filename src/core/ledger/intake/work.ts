import { fromSeedPriority } from '../../../model/ledger/seed-priority.ts'
import { parseWorkEntry, type WorkEntry, type WorkEvent, type WorkNote } from '../../../model/ledger/work-entry.ts'
import { contentOf, keyed } from '../messages/compose.ts'
import { routeOf } from '../work/emit.ts'
import { withBody } from '../work/hashed-body.ts'
import { targetsOf } from '../work/post.ts'
import type { WholeMessage } from './assemble.ts'
import { type Intake, type SkipReason, say } from './intake.ts'
import { isBy } from './message.ts'
import type { Writer } from './senders.ts'

/** Notes on a work item go to those whom they name, events to those of the routing table. */
export async function takeWork(intake: Intake, whole: WholeMessage): Promise<SkipReason> {
  const text = whole.text ?? ''
  const written = parseWorkEntry(text)
  if (!written) return 'foreign'
  const writer = await intake.senders.byName(written.from_agent, whole.payer)
  const entry = writer.agent === null ? written : await withBody(intake.tx, written, text)
  const messageId = entry.kind === 'note' ? entry.note_id : entry.event_id
  if (messageId !== null && (await takeKnown(intake, writer, messageId))) return undefined
  return entry.kind === 'note' ? takeNote(intake, whole, writer, entry) : takeEvent(intake, whole, writer, entry)
}

/** An entry by one of our agents names its message, which is kept with the parcel that published it. */
async function takeKnown({ tx, items }: Intake, writer: Writer, messageId: string): Promise<boolean> {
  if (writer.agent === null) return false
  const message = (await tx.ledger.parcelOfMessage({ messageId }))?.message
  if (!message || !isBy(message, writer)) return false
  items.push({ message: keyed(message), isOurs: true, isDamped: true })
  return true
}

async function takeNote(intake: Intake, whole: WholeMessage, writer: Writer, note: WorkNote): Promise<SkipReason> {
  const { known } = await targetsOf(intake.tx, note.notify, writer.agent ?? '')
  if (known.length === 0) return undefined
  say(intake, whole, writer, {
    to: known,
    type: note.type,
    subject: subjectOf(intake, note),
    content: note.note,
    payload: { note: note.note },
    priority: fromSeedPriority(note.priority),
    ref: intake.topic.entity,
  })
  return undefined
}

async function takeEvent(intake: Intake, whole: WholeMessage, writer: Writer, event: WorkEvent): Promise<SkipReason> {
  const route = routeOf(intake.ledgers.settings, event.type)
  if (!route) return undefined
  const { known } = await targetsOf(intake.tx, route.to, writer.agent ?? '')
  if (known.length === 0) return undefined
  const subject = event.subject ?? subjectOf(intake, event)
  say(intake, whole, writer, {
    to: known,
    type: event.type,
    subject,
    content: contentOf(subject, event.payload),
    payload: event.payload,
    priority: fromSeedPriority(route.priority),
    ref: intake.topic.entity,
  })
  return undefined
}

function subjectOf({ topic }: Intake, { type }: WorkEntry): string {
  return topic.entity === null ? type : `${type}: ${topic.entity}`
}
