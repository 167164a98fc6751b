import { formatDuration } from '../../kit/pure/duration.ts'
import { skeletonOf } from '../../model/agent.ts'
import { PosternError } from '../../model/errors.ts'
import { parseServiceName, type Service } from '../../model/sources/service.ts'
import type { CreateService, NewService, ServiceRef } from '../../model/sources/services.ts'
import type { ServiceRecord, Shelves } from '../../store/store.ts'
import type { Context, Secrets } from '../context.ts'
import { requireAgent } from '../registry/find.ts'
import { confusableWithReserved, reservedLike } from '../registry/register.ts'
import { requirePerson } from '../registry/require-person.ts'
import { findService } from './list.ts'
import { SIGNING_SECRET_PREFIX } from './webhook.ts'

const KEY_PREFIX = 'sk_'
const SERVICES_PER_AGENT = 32
const DAY_MS = 24 * 60 * 60_000
const DEFAULT_OVERLAP_MS = DAY_MS
const MAX_OVERLAP_MS = 30 * DAY_MS

/** Registers an outside system for one agent. */
export async function createService(ctx: Context, input: CreateService): Promise<NewService> {
  requirePerson(ctx.caller, 'register services: an event of one may open gates')
  const name = parseServiceName(input.name)
  const reserved = reservedLike(name)
  if (reserved === name) throw new PosternError('SERVICE_NAME_INVALID', { name })
  if (reserved !== undefined) throw confusableWithReserved(name, reserved)
  const credentials = makeCredentials(await ctx.secrets(), ctx.newId('svc'))
  const { id, key, signingSecret } = credentials
  const record = await ctx.store.transact(async (tx): Promise<ServiceRecord> => {
    const { id: agent } = await requireAgent(tx, input.agent)
    await requireFree(tx, agent, name)
    const draft = { ...credentials.kept, service: draftService(ctx, { id, name, agent }) }
    if (!(await tx.services.insert(draft))) throw taken(`The service ${name} of ${agent}`)
    return draft
  })
  return { ...record.service, key, signingSecret }
}

/**
 * Gives a service a new key and a new signing secret; the previous ones stay valid during the overlap. While two keys
 * are valid, only a
 * rotation without an overlap is possible, which revokes both: a third key would end the first before its promised time.
 */
export async function rotateService(
  ctx: Context,
  { overlapMs = DEFAULT_OVERLAP_MS, ...ref }: ServiceRef & { readonly overlapMs?: number },
): Promise<NewService> {
  requirePerson(ctx.caller, 'give a service a new key')
  requireOverlap(overlapMs)
  const secrets = await ctx.secrets()
  // What is sealed names the service it is of, so that has to be known before.
  const { id } = (await findService(ctx.store.read, ref)).service
  const { key, signingSecret, kept } = makeCredentials(secrets, id)
  const service = await ctx.store.transact(async (tx) => {
    const record = await findService(tx, { id })
    if (record.service.revokedAt !== null) throw new PosternError('SERVICE_NOT_FOUND', { id: ref.id })
    const at = ctx.store.now()
    if (overlapMs > 0) requireOneKey(record, at)
    const rotated = rotate(record, kept, { at, overlapMs })
    await tx.services.update(rotated)
    return rotated.service
  })
  return { ...service, key, signingSecret }
}

/** A service's keys are worth nothing from now on. Revoking it again changes nothing. */
export async function revokeService(ctx: Context, ref: ServiceRef): Promise<Service> {
  requirePerson(ctx.caller, 'revoke a service')
  return ctx.store.transact(async (tx) => {
    const record = await findService(tx, ref)
    if (record.service.revokedAt !== null) return record.service
    const service = { ...record.service, revokedAt: ctx.store.now() }
    await tx.services.update({ ...record, service })
    return service
  })
}

type Kept = Pick<ServiceRecord, 'keyHash' | 'earlierKeyHash' | 'signingSecret' | 'earlierSigningSecret'>

interface Credentials {
  readonly id: string
  readonly key: string
  readonly signingSecret: string
  /** What the store keeps of them. */
  readonly kept: Kept
}

function makeCredentials(secrets: Secrets, id: string): Credentials {
  const key = `${KEY_PREFIX}${secrets.random('base64url')}`
  const signingSecret = `${SIGNING_SECRET_PREFIX}${secrets.random('base64')}`
  const earlier = { earlierKeyHash: null, earlierSigningSecret: null }
  const kept = { keyHash: secrets.hash(key), signingSecret: secrets.seal(signingSecret, id), ...earlier }
  return { id, key, signingSecret, kept }
}

function rotate(
  record: ServiceRecord,
  kept: Kept,
  { at, overlapMs }: { readonly at: number; readonly overlapMs: number },
): ServiceRecord {
  const service = { ...record.service, rotatedAt: at, overlapUntilAt: overlapMs === 0 ? null : at + overlapMs }
  if (overlapMs === 0) return { ...kept, service }
  return { ...kept, service, earlierKeyHash: record.keyHash, earlierSigningSecret: record.signingSecret }
}

function requireOneKey({ service, earlierKeyHash }: ServiceRecord, at: number): void {
  const { id, name, overlapUntilAt } = service
  if (earlierKeyHash === null || overlapUntilAt === null || at >= overlapUntilAt) return
  throw new PosternError('SERVICE_OVERLAP', { id, name, until: new Date(overlapUntilAt).toISOString() })
}

function draftService(ctx: Context, named: Pick<Service, 'id' | 'name' | 'agent'>): Service {
  const times = { rotatedAt: null, overlapUntilAt: null, revokedAt: null, lastEventAt: null }
  return { ...named, createdBy: ctx.caller.id, createdAt: ctx.store.now(), ...times, events: 0 }
}

/** What a service sends is from its name, so that may not be mistaken for anybody's. */
async function requireFree(tx: Shelves, agent: string, name: string): Promise<void> {
  const [lookalike] = await tx.agents.lookalikes([skeletonOf(name)])
  if (lookalike?.id === name) throw taken(`The agent ${name}`)
  if (lookalike) throw new PosternError('AGENT_CONFUSABLE', { id: name, other: lookalike.id })
  const services = await tx.services.ofAgent({ agent })
  if (services.some(({ service }) => service.name === name)) throw taken(`The service ${name} of ${agent}`)
  if (services.length < SERVICES_PER_AGENT) return
  throw new PosternError('QUOTA_REACHED', {
    caller: agent,
    count: SERVICES_PER_AGENT,
    what: 'services',
    next: 'Revoke one that is no longer needed with "postern service revoke <id>".',
  })
}

function taken(name: string): PosternError {
  return new PosternError('SERVICE_EXISTS', { name })
}

function requireOverlap(ms: number): void {
  if (Number.isSafeInteger(ms) && ms >= 0 && ms <= MAX_OVERLAP_MS) return
  throw new PosternError('DURATION_INVALID', { value: formatDuration(ms), limit: '30 days' })
}
