import { SYSTEM_CALLER } from '../../../model/caller.ts'
import { parseFileLink } from '../../../model/ledger/memos.ts'
import { canonicalBody, type MessageData, parseMessageData } from '../../../model/ledger/message-data.ts'
import { fromSeedPriority } from '../../../model/ledger/seed-priority.ts'
import type { Message } from '../../../model/message.ts'
import { NORMAL } from '../../../model/priority.ts'
import { contentOf, dataOf, keyed } from '../messages/compose.ts'
import type { WholeMessage } from './assemble.ts'
import { type Intake, type SkipReason, say } from './intake.ts'
import { decodeFile } from './outside.ts'
import type { Writer } from './senders.ts'

export interface AddressedMessage {
  /** Our agent that it is for. */
  readonly agent: string
  /** As HCS-10 has it: text, JSON as text, or the link of a file. */
  readonly data: string
  readonly ref: string | null
}

const PLAIN_TYPE = 'ledger.message'

/** A message for one of our agents, from one of our own or from an outsider. */
export async function takeMessage(
  intake: Intake,
  whole: WholeMessage,
  writer: Writer,
  addressed: AddressedMessage,
): Promise<SkipReason> {
  const file = parseFileLink(addressed.data)
  const text = file === undefined ? addressed.data : ((await fileOf(intake, file)) ?? addressed.data)
  const data = parseMessageData(text)
  if (!data) return takePlain(intake, whole, writer, { ...addressed, data: text })
  const known = await sentMessage(intake, writer, data, addressed.agent)
  if (!known) return takeData(intake, whole, writer, { ...addressed, said: data })
  if (!isSame(intake, known, data)) return 'altered'
  intake.items.push({ message: known, isOurs: true, isDamped: true })
  return undefined
}

/**
 * The message of which the entry is the public half. It is found only if the writer has sent it and the agent is a
 * recipient: an entry that names another's message neither reveals nor suppresses it.
 */
async function sentMessage(
  { tx }: Intake,
  writer: Writer,
  { message_id: messageId }: MessageData,
  agent: string,
): Promise<Message | undefined> {
  if (writer.agent === null || messageId === null) return undefined
  const message = (await tx.ledger.parcelOfMessage({ messageId }))?.message ?? (await tx.messages.get(messageId))
  return message && isBy(message, writer) && message.to.includes(agent) ? keyed(message) : undefined
}

/** A caller that is no agent writes with the topics of the deployment. */
export function isBy({ from }: Message, { agent }: Writer): boolean {
  return from.id === agent || (agent === SYSTEM_CALLER.id && (from.kind === 'local' || from.kind === 'system'))
}

function isSame({ ledgers }: Intake, message: Message, data: MessageData): boolean {
  const body = canonicalBody(dataOf(message))
  if (data.mode === 'hash') return ledgers.codec.sha256(body) === data.sha256
  return message.type === data.message_type && body === canonicalBody(data)
}

interface Said extends AddressedMessage {
  readonly said: MessageData
}

function takeData(intake: Intake, whole: WholeMessage, writer: Writer, { agent, ref, said }: Said): undefined {
  const { message_type: type, subject } = said
  const isFull = said.mode === 'full'
  const about =
    isFull && said.ref_id !== null ? [said.ref_type, said.ref_id].filter((part) => part !== null).join(':') : null
  say(intake, whole, writer, {
    to: [agent],
    type,
    subject,
    content: isFull ? contentOf(subject, said.payload) : `The rest was not published; its SHA-256 is ${said.sha256}.`,
    payload: isFull ? said.payload : null,
    context: isFull ? said.context : null,
    priority: fromSeedPriority(said.priority),
    ref: about ?? ref,
  })
}

function takePlain(
  intake: Intake,
  whole: WholeMessage,
  writer: Writer,
  { agent, data, ref }: AddressedMessage,
): SkipReason {
  if (!data.isWellFormed() || data.includes('\0')) return 'foreign'
  say(intake, whole, writer, { to: [agent], type: PLAIN_TYPE, subject: null, content: data, priority: NORMAL, ref })
  return undefined
}

/** Undefined if the file cannot be read: then the link itself is the message. */
async function fileOf({ tx, ledgers, outside }: Intake, topicId: string): Promise<string | undefined> {
  const known = outside.files.get(topicId)
  if (known) return known.content
  if (!ledgers.ledger.within) return undefined
  const topic = await tx.ledger.getTopic({ id: topicId })
  if (!topic) return undefined
  const entries = await tx.ledger.entriesAfter({ topicId, after: 0, limit: MOST_ENTRIES })
  return decodeFile(ledgers.codec, topic.memo, entries)?.content
}

const MOST_ENTRIES = 200
