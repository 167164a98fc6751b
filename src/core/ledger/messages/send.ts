import { parseAgentId } from '../../../model/agent.ts'
import { PosternError } from '../../../model/errors.ts'
import type { PublishMode, SendMessage, SentMessage, SentMessages } from '../../../model/ledger/ledgers.ts'
import { canonicalBody, formatHashedData, formatMessageData } from '../../../model/ledger/message-data.ts'
import { publishModeOf } from '../../../model/ledger/publish-mode.ts'
import { EVERYBODY, type Message } from '../../../model/message.ts'
import type { PushResult } from '../../../model/postern.ts'
import type { Shelves } from '../../../store/store.ts'
import type { Context, Ledgers, LedgerTx } from '../../context.ts'
import { explainUnknown, ringFor } from '../../inbox/push.ts'
import { ensureIdentity, recallIdentities, writerOf } from '../identities/identity.ts'
import { type EntryPlace, NOWHERE, type Publication, placeOf, publishAll, requireNoSecret } from '../publish.ts'
import { labelOf } from '../status.ts'
import { writeMessage } from '../write-message.ts'
import { composeSent, dataOf, keyed } from './compose.ts'
import { deliverOrDefer, type SentDelivery } from './deliver.ts'

interface SendOutcome {
  readonly messages: readonly SentMessage[]
  readonly results: readonly PushResult[]
  /** People who were told something. They are rung after the commit. */
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

/** Puts a message into the inbox only and publishes nothing. */
export async function sendInbox(ctx: Context, input: SendMessage): Promise<SentMessages> {
  const ledgers = await ctx.ledger()
  return send(ctx, ledgers, (tx) => sendWithin({ ctx, ledgers, tx }, input, 'off'))
}

async function send(
  ctx: Context,
  { ledger }: Ledgers,
  verb: (tx: Shelves) => Promise<SendOutcome>,
): Promise<SentMessages> {
  const { messages, results, told } = await explainUnknown(ctx, () => ctx.store.transact(verb))
  ringFor(ctx, results, told)
  return { ledger: labelOf(ledger), messages }
}

/**
 * First all inboxes, in the order of their names, then all topics: two senders to many recipients take their locks in the
 * same order. A refusal on the way leaves nothing behind.
 */
async function sendWithin(ltx: LedgerTx, input: SendMessage, mode: PublishMode): Promise<SendOutcome> {
  const { ctx, ledgers, tx } = ltx
  const deliveries: SentDelivery[] = []
  for (const to of await recipientsOf(ctx, tx, input)) {
    const message = keyedFor(ledgers, composeSent(ctx, input, to), mode)
    deliveries.push(await deliverOrDefer(ltx, message, mode))
  }
  const messages = mode === 'off' ? deliveries.map(unpublished) : await publishSent(ltx, deliveries, mode)
  return {
    messages,
    results: deliveries.flatMap(({ result }) => result ?? []),
    told: deliveries.flatMap(({ told }) => told),
  }
}

function isToAll({ to_agent: to }: SendMessage): boolean {
  return to === 'ALL' || to === EVERYBODY
}

/** In ascending order. Nobody reads the inbox of a service, so services get a message only if they are named. */
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

/** A message that comes back from a ledger elsewhere is known by its key, so it is shown once. */
function keyedFor({ ledger }: Ledgers, message: Message, mode: PublishMode): Message {
  return ledger.within || mode === 'off' ? message : keyed(message)
}

async function publishSent(
  ltx: LedgerTx,
  deliveries: readonly SentDelivery[],
  mode: PublishMode,
): Promise<readonly SentMessage[]> {
  const publications: Publication[] = []
  for (const { message, result } of deliveries) {
    if (!result?.duplicate) publications.push(await sentPublication(ltx, message, mode))
  }
  const outcomes = await publishAll(ltx, publications)
  const places = new Map(outcomes.map((outcome) => [outcome.message?.id, placeOf(outcome)]))
  const sent: SentMessage[] = []
  for (const delivery of deliveries) {
    const known = places.get(delivery.message.id)
    const place = known ?? (await earlierPlace(ltx, delivery))
    const publish = place.topic_id === null ? 'off' : mode
    sent.push({ ...unpublished(delivery), duplicate: !known, publish, ...place })
  }
  return sent
}

function unpublished({ message, result }: SentDelivery): SentMessage {
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

/** The entry on the recipient's inbound topic, and the record of it on the sender's outbound topic. */
async function sentPublication(ltx: LedgerTx, message: Message, mode: PublishMode): Promise<Publication> {
  const { ctx, ledgers } = ltx
  const [agent = ''] = message.to
  const data = formatData(ledgers, message, mode)
  requireNoSecret(ledgers, mode, data)
  const to = await ensureIdentity(ltx, agent)
  const from = await ensureIdentity(ltx, writerOf(ctx.caller))
  const topicId = to.inboundTopicId
  const record = { type: 'sent', message_id: message.id, topic_id: topicId, sha256: ledgers.codec.sha256(data) }
  return {
    purpose: 'message',
    about: agent,
    lane: topicId,
    payer: from.account,
    message,
    async write(entryWriter) {
      await writeMessage(ledgers, entryWriter, { from, topicId, topicType: 'inbound', data, mime: MIME })
      await entryWriter.submit({ topicId: from.outboundTopicId, text: JSON.stringify(record), isRecord: true })
    },
  }
}

function formatData({ codec }: Ledgers, message: Message, mode: PublishMode): string {
  const data = dataOf(message)
  return mode === 'full' ? formatMessageData(data) : formatHashedData(data, codec.sha256(canonicalBody(data)))
}

/** The place of the message that was sent before under the same key. It has none if it was only put into the inbox. */
async function earlierPlace({ tx }: LedgerTx, { message, result }: SentDelivery): Promise<EntryPlace> {
  const parcel = await tx.ledger.parcelOfMessage({ messageId: result?.id ?? message.id })
  if (!parcel) return NOWHERE
  const { id, lane, sequence, state } = parcel
  return { topic_id: lane, sequence, parcel: state === 'published' ? null : id }
}
