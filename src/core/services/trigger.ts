import { sortedJson } from '../../kit/pure/sorted-json.ts'
import { isAgentId } from '../../model/agent.ts'
import { PosternError } from '../../model/errors.ts'
import type { Gate } from '../../model/gate.ts'
import type { Json } from '../../model/json.ts'
import type { Message } from '../../model/message.ts'
import type { Service } from '../../model/sources/service.ts'
import { isMet, parseServiceCondition } from '../../model/sources/service-condition.ts'
import type { TriggerAgent, Triggered } from '../../model/sources/services.ts'
import type { ServiceRecord, Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { closeGate } from '../gates/close.ts'
import { ring } from '../rings/ring.ts'
import { callerOf, composeEvent } from './event.ts'
import { findProven, isStillGood, type Proven } from './prove.ts'

/** Brings an event of an outside system to its agent, and opens the gates that wait for it. */
export async function triggerAgent(ctx: Context, input: TriggerAgent): Promise<Triggered> {
  const secrets = await ctx.secrets()
  const records = await servicesOf(ctx, input.agent)
  const proven = findProven(secrets, records, input.proof, ctx.store.now())
  if (!proven || (input.serviceName ?? proven.service.name) !== proven.service.name) throw refusal()

  const message = composeEvent(ctx, secrets, proven.service, input)
  try {
    const { triggered, rings } = await ctx.store.transact((tx) => storeEvent(ctx, tx, { proven, message, input }))
    ring(ctx, rings)
    return triggered
  } catch (error) {
    const earlier = await earlierEvent(ctx, error, message)
    if (earlier) return { eventId: earlier.id, duplicate: true }
    throw isGone(error) ? refusal() : error
  }
}

/** Whoever cannot prove to be the service hears the same, whatever was wrong. */
function refusal(): PosternError {
  return new PosternError('TRIGGER_REFUSED')
}

/** None where there is no such agent, which nobody is told. */
async function servicesOf(ctx: Context, agent: string): Promise<readonly ServiceRecord[]> {
  const id = isAgentId(agent) ? agent : 'local'
  const records = await ctx.store.read.services.ofAgent({ agent: id })
  const known = await ctx.store.read.agents.get(id)
  return known?.removedAt === null ? records : []
}

/** The agent was removed since. */
function isGone(error: unknown): boolean {
  return error instanceof PosternError && error.code === 'AGENT_NOT_FOUND'
}

/**
 * The event that came under the same delivery id before, if it says the same. Each attempt may have a trace of its own.
 * Another body under that id is a conflict, however well it is signed: one of the two events would be lost in silence.
 */
async function earlierEvent(ctx: Context, error: unknown, { payload }: Message): Promise<Message | undefined> {
  if (!(error instanceof PosternError) || error.code !== 'DEDUP_CONFLICT') return undefined
  const earlier = await ctx.store.read.messages.get(String(error.details['id']))
  return sortedJson(earlier?.payload) === sortedJson(payload) ? earlier : undefined
}

interface Event {
  readonly proven: Proven
  readonly message: Message
  readonly input: TriggerAgent
}

/** What gates may wait for. */
interface Heard {
  readonly service: Service
  readonly message: Message
  readonly payload: Json
}

interface Stored {
  readonly triggered: Triggered
  /** Whom to ring after the commit. */
  readonly rings: readonly string[]
}

async function storeEvent(ctx: Context, tx: Shelves, { proven, message, input }: Event): Promise<Stored> {
  const { id, name, agent } = proven.service
  const record = await tx.services.get(id)
  if (!record || !isStillGood(record, proven.credential, ctx.store.now())) throw refusal()

  // Whoever closes a gate locks it before the inboxes of those who are told.
  const waiting = await tx.gates.awaitingService({ name })
  const [stored] = await tx.messages.push({
    items: [{ message, held: [] }],
    pendingLimit: ctx.limits.pendingPerAgent,
  })
  const eventId = stored?.id ?? message.id
  if (stored?.duplicate) return { triggered: { eventId, duplicate: true }, rings: [] }
  await tx.services.heard({ id, at: message.createdAt })
  const rings = await openGates(ctx, tx, waiting, { service: proven.service, message, payload: input.payload })
  return { triggered: { eventId, duplicate: false }, rings: [agent, ...rings] }
}

export async function openGates(
  ctx: Context,
  tx: Shelves,
  waiting: readonly Gate[],
  { service, message, payload }: Heard,
): Promise<readonly string[]> {
  const rings: string[] = []
  for (const gate of waiting) {
    if (!isMet(parseServiceCondition(gate.awaits ?? ''), payload)) continue
    const reason = `${service.name} sent ${message.id}`
    const closed = await closeGate(ctx, tx, gate, { to: 'resolved', by: callerOf(service), reason })
    rings.push(...(closed?.rings ?? []))
  }
  return rings
}
