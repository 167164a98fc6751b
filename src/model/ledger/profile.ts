import type { Agent } from '../agent.ts'
import { PosternError } from '../errors.ts'
import type { Json } from '../json.ts'
import { LAST_CAPABILITY, type LedgerIdentity } from './identity.ts'
import { isFields, type JsonFields } from './json-fields.ts'
import { isLedgerId } from './topic.ts'

/** Who an agent is, as HCS-11 has it. A person's is of type 0 and has no `aiAgent`. */
export interface Profile {
  readonly version: string
  readonly type: typeof PERSON | typeof AI_AGENT
  readonly display_name: string
  readonly alias?: string
  readonly bio?: string
  readonly uaid?: string
  readonly properties?: { readonly [name: string]: Json }
  readonly inboundTopicId?: string
  readonly outboundTopicId?: string
  readonly aiAgent?: AiAgent
}

export interface AiAgent {
  /** 0: somebody tells it what to do; 1: it acts by itself. */
  readonly type: 0 | 1
  readonly capabilities: readonly number[]
  readonly model: string
  readonly creator?: string
}

const PERSON = 0
const AI_AGENT = 1
export const PROFILE_VERSION = '1.0'
export const PROFILE_MIME = 'application/json'
/** The reference requires a name for the model of an agent. */
const UNNAMED_MODEL = 'unspecified'

export type ProfileIdentity = Pick<
  LedgerIdentity,
  'inboundTopicId' | 'outboundTopicId' | 'capabilities' | 'model' | 'bio' | 'uaid'
>

/** The profile of one of our agents. Throws PROFILE_INVALID. */
export function createProfile(agent: Pick<Agent, 'id' | 'kind' | 'displayName'>, identity: ProfileIdentity): Profile {
  const { inboundTopicId, outboundTopicId, capabilities, model, bio, uaid } = identity
  return requireProfile({
    version: PROFILE_VERSION,
    type: agent.kind === 'human' ? PERSON : AI_AGENT,
    display_name: agent.displayName,
    alias: agent.id,
    ...(bio === null ? {} : { bio }),
    ...(uaid === null ? {} : { uaid }),
    properties: { postern: { agent: agent.id, kind: agent.kind } },
    inboundTopicId,
    outboundTopicId,
    ...(agent.kind === 'human'
      ? {}
      : { aiAgent: { type: 1, capabilities: [...capabilities], model: model ?? UNNAMED_MODEL } }),
  })
}

/** Returns the profile, or throws PROFILE_INVALID: what passes here passes the schema of the standard's reference. */
export function requireProfile(profile: unknown): Profile {
  const reason = isFields(profile) ? troubleOf(profile) : 'it is not an object'
  if (reason === undefined) return profile as unknown as Profile
  throw new PosternError('PROFILE_INVALID', { reason })
}

/** At least one, each once, in ascending order. */
export function requireCapabilities(capabilities: readonly unknown[]): readonly number[] {
  const reason = troubleOfCapabilities(capabilities)
  if (reason !== undefined) throw new PosternError('PROFILE_INVALID', { reason })
  return [...new Set(capabilities as readonly number[])].sort((one, other) => one - other)
}

function troubleOf(profile: JsonFields): string | undefined {
  const { version, type, display_name, inboundTopicId, outboundTopicId, properties, aiAgent } = profile
  if (!isFilled(version)) return 'it has no version'
  if (type !== PERSON && type !== AI_AGENT) return `its type must be ${PERSON}, a person, or ${AI_AGENT}, an agent`
  if (!isFilled(display_name)) return 'it has no display_name'
  for (const name of ['alias', 'bio', 'uaid', 'profileImage', 'base_account'])
    if (profile[name] !== undefined && typeof profile[name] !== 'string') return `its ${name} is not text`
  if (inboundTopicId !== undefined && !isLedgerId(inboundTopicId)) return 'its inboundTopicId is not a topic'
  if (outboundTopicId !== undefined && !isLedgerId(outboundTopicId)) return 'its outboundTopicId is not a topic'
  if (properties !== undefined && !isFields(properties)) return 'its properties are not an object'
  return type === AI_AGENT ? troubleOfAgent(aiAgent) : undefined
}

function troubleOfAgent(agent: Json | undefined): string | undefined {
  if (!isFields(agent)) return 'an agent needs aiAgent'
  if (agent['type'] !== 0 && agent['type'] !== 1) return 'the type of its aiAgent must be 0, manual, or 1, autonomous'
  if (!isFilled(agent['model'])) return 'its aiAgent names no model'
  if (agent['creator'] !== undefined && typeof agent['creator'] !== 'string')
    return 'the creator of its aiAgent is not text'
  return troubleOfCapabilities(agent['capabilities'])
}

function troubleOfCapabilities(capabilities: unknown): string | undefined {
  if (!Array.isArray(capabilities) || capabilities.length === 0) return 'it needs at least one capability'
  const bad = capabilities.find((code) => !Number.isInteger(code) || code < 0 || code > LAST_CAPABILITY)
  return bad === undefined ? undefined : `${String(bad)} is not a capability`
}

function isFilled(value: Json | undefined): boolean {
  return typeof value === 'string' && value.trim() !== ''
}
