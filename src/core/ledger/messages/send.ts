import { parseAgentId } from '../../../model/agent.ts'
import { PosternError } from '../../../model/errors.ts'
import type { PublishMode, SendMessage, SentMessage, SentMessages } from '../../../model/ledger/ledgers.ts'
import { canonicalBody, formatHashedData, formatMessageData } from '../../../model/ledger/message-data.ts'
import type { LedgerParcel, ParcelDraft } from '../../../model/ledger/parcel.ts'
import { publishModeOf } from '../../../model/ledger/publish-mode.ts'
import { EVERYBODY, type Message } from '../../../model/message.ts'
import type { PushResult } from '../../../model/postern.ts'
import type { Shelves } from '../../../store/store.ts'
import type { Context, Ledgers, LedgerTx } from '../../context.ts'
import { explained, ringFor } from '../../inbox/push.ts'
import { requireBudget, requireNoSecret } from '../budget.ts'
import { draftParcel, messageSteps, submissionTo } from '../drafts.ts'
import { ensureIdentity, recallIdentities, writerOf } from '../identities/identity.ts'
import { publish } from '../publish.ts'
import { labelOf } from '../status.ts'
import { composeSent, dataOf, keyed } from './compose.ts'
import { type Placed, placeMessage } from './deliver.ts'

interface Stored {
  readonly messages: readonly SentMessage[]
  readonly results: readonly PushResult[]
  /** People who were told of something, and are to be rung after the commit. */
  readonly told: readonly string[]
}

/** Puts a message on the record of its recipient and into its inbox: both or neither. */
export async function sendMessage(ctx: Context, input: SendMessage): Promise<SentMessages> {
  const ledgers = await ctx.ledger()
  const agent = writerOf(ctx.caller)
  const mode = publishModeOf(ledgers.settings.publish, { type: input.message_type, agent })
  if (mode !== 'off') await recallIdentities(ctx, ledgers, [agent, input.to_agent])
  return send(ctx, ledgers, (tx) => sendWithin({ ctx, ledgers, tx }, input, mode))
}

/** Only into the inbox: nothing is published. */
export async function sendInbox(ctx: Context, input: SendMessage): Promise<SentMessages> {
  const ledgers = await ctx.ledger()
  return send(ctx, ledgers, (tx) => sendWithin({ ctx, ledgers, tx }, input, 'off'))
}

async function send(ctx: Context, { ledger }: Ledgers, verb: (tx: Shelves) => Promise<Stored>): Promise<SentMessages> {
  const { messages, results, told } = await explained(ctx, () => ctx.store.transact(verb))
  ringFor(ctx, results, told)
  return { ledger: labelOf(ledger), messages }
}

/**
 * First all inboxes, in the order of their names, then all topics: whoever sends to many waits for others in the order in
 * which they wait for it. Whatever is refused on the way leaves nothing.
 */
async function sendWithin(ltx: LedgerTx, input: SendMessage, mode: PublishMode): Promise<Stored> {
  const { ctx, ledgers, tx } = ltx
  const placed: Placed[] = []
  for (const to of await recipientsOf(ctx, tx, input)) {
    const message = keyedFor(ledgers, composeSent(ctx, input, to), mode)
    placed.push(await placeMessage(ltx, message, mode))
  }
  const messages = mode === 'off' ? placed.map(unpublished) : await publishAll(ltx, placed, mode)
  return {
    messages,
    results: placed.flatMap(({ result }) => result ?? []),
    told: placed.flatMap(({ told }) => told),
  }
}

function isToAll({ to_agent: to }: SendMessage): boolean {
  return to === 'ALL' || to === EVERYBODY
}

/** In ascending order. Services have no inbox that anybody reads, unless they are named. */
async function recipientsOf(ctx: Context, tx: Shelves, input: SendMessage): Promise<readonly string[]> {
  if (!isToAll(input)) return [parseAgentId(input.to_agent)]
  const agents = await tx.agents.list({ removed: false })
  const others = agents.filter(({ id, kind }) => kind !== 'service' && id !== ctx.caller.id).map(({ id }) => id)
  const { recipientsPerPush: limit } = ctx.limits
  if (others.length <= limit) return others.sort()
  throw new PosternError('VALUE_INVALID', {
    field: 'number of recipients',
    value: others.length,
    next: `At most ${limit} get a message of their own; push one to everybody with "all" instead.`,
  })
}

/** What comes back from a ledger elsewhere is known by its key, so that it is shown once. */
function keyedFor({ ledger }: Ledgers, message: Message, mode: PublishMode): Message {
  return ledger.within || mode === 'off' ? message : keyed(message)
}

async function publishAll(
  ltx: LedgerTx,
  placed: readonly Placed[],
  mode: PublishMode,
): Promise<readonly SentMessage[]> {
  const { tx } = ltx
  const drafts: (ParcelDraft | undefined)[] = []
  for (const { message, result } of placed) {
    drafts.push(result?.duplicate ? undefined : await draftEntry(ltx, message, mode))
  }
  await requireBudget(
    ltx,
    drafts.reduce((sum, draft) => sum + (draft?.price ?? 0), 0),
  )
  const sent: SentMessage[] = []
  for (const [index, { message, result }] of placed.entries()) {
    const draft = drafts[index]
    const message_id = result?.id ?? message.id
    const to_agent = message.to[0] ?? ''
    const place = draft ? placeOf(await publish(ltx, draft)) : await earlierEntry(tx, message_id)
    const published = place.topic_id === null ? 'off' : mode
    sent.push({ message_id, to_agent, duplicate: !draft, ...arrivalOf(result), publish: published, ...place })
  }
  return sent
}

function unpublished({ message, result }: Placed): SentMessage {
  return {
    message_id: result?.id ?? message.id,
    to_agent: message.to[0] ?? '',
    duplicate: result?.duplicate ?? false,
    ...arrivalOf(result),
    publish: 'off',
    ...NOWHERE,
  }
}

function arrivalOf(result: PushResult | undefined): Pick<SentMessage, 'in_inbox' | 'held'> {
  const held = result?.recipients.some(({ state }) => state === 'held') ?? false
  return { in_inbox: result !== undefined && !held, held }
}

const MIME = 'application/json'

/** The entry on the recipient's inbound topic, and what the sender's outbound topic says of it. */
export async function draftEntry(ltx: LedgerTx, message: Message, mode: PublishMode): Promise<ParcelDraft> {
  const { ctx, ledgers } = ltx
  const [agent = ''] = message.to
  const data = formatData(ledgers, message, mode)
  requireNoSecret(ledgers, mode, data)
  const to = await ensureIdentity(ltx, agent)
  const from = await ensureIdentity(ltx, writerOf(ctx.caller))
  const topicId = to.inboundTopicId
  const record = { type: 'sent', message_id: message.id, topic_id: topicId, sha256: ledgers.codec.sha256(data) }
  return draftParcel(ledgers, {
    purpose: 'message',
    about: agent,
    lane: topicId,
    payer: from.account,
    steps: [
      ...messageSteps(ctx, ledgers, { from, topicId, topicType: 'inbound', data, mime: MIME }),
      submissionTo(from.outboundTopicId, JSON.stringify(record), '', { isRecord: true }),
    ],
    message,
  })
}

function formatData({ codec }: Ledgers, message: Message, mode: PublishMode): string {
  const data = dataOf(message)
  return mode === 'full' ? formatMessageData(data) : formatHashedData(data, codec.sha256(canonicalBody(data)))
}

export type EntryPlace = Pick<SentMessage, 'topic_id' | 'sequence' | 'parcel'>

/** Where the message stands that was sent before under the same key; nowhere, if it was only put into the inbox. */
export async function earlierEntry(tx: Shelves, messageId: string): Promise<EntryPlace> {
  const parcel = await tx.ledger.parcelOfMessage({ messageId })
  return parcel ? placeOf(parcel) : NOWHERE
}

export function placeOf({ lane, id, state, sequence }: LedgerParcel): EntryPlace {
  return { topic_id: lane, sequence, parcel: state === 'published' ? null : id }
}

export const NOWHERE: EntryPlace = { topic_id: null, sequence: null, parcel: null }
