import { type Agent, parseAgentId, parseAgentKind, RESERVED_IDS, skeletonOf } from '../../model/agent.ts'
import { PosternError } from '../../model/errors.ts'
import type { AddAgent } from '../../model/postern.ts'
import { parseText } from '../../model/text.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { requirePerson } from './require-person.ts'

const DISPLAY_NAME_BYTES = 200

export function draftAgent(ctx: Context, input: AddAgent): Agent {
  const id = parseAgentId(input.id)
  const kind = parseAgentKind(input.kind ?? 'ai')
  const displayName = parseDisplayName(input.displayName ?? id)
  const isOwner = input.isOwner ?? false
  if (isOwner && kind !== 'human') {
    throw new PosternError('VALUE_INVALID', {
      field: 'owner flag of',
      value: id,
      next: 'Only a person can be an owner: add it with kind "human".',
    })
  }
  if (isOwner) requirePerson(ctx.caller, `make ${id} an owner, who is told instead of all other people`)
  else if (kind === 'human') requirePerson(ctx.caller, `register ${id} as a person`)
  return { id, kind, displayName, isOwner, createdAt: ctx.store.now(), removedAt: null }
}

export function parseDisplayName(value: string, field = 'display name'): string {
  const name = parseText(field, value, DISPLAY_NAME_BYTES).trim()
  if (name === '' || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)) {
    throw new PosternError('TEXT_INVALID', {
      field,
      what: name === '' ? 'nothing visible' : 'invisible characters',
    })
  }
  return name
}

export async function registerAgent(tx: Shelves, agent: Agent, options: AddAgent): Promise<Agent> {
  const known = await tx.agents.get(agent.id)
  if (known) return registerAgain(tx, known, agent, options)

  const idSkeleton = skeletonOf(agent.id)
  const nameSkeleton = skeletonOf(agent.displayName)
  for (const name of [agent.id, agent.displayName]) await requireUnreservedName(tx, name)
  const [lookalike] = await tx.agents.lookalikes([idSkeleton, nameSkeleton])
  const inserted =
    !lookalike &&
    (await tx.agents.insert({
      agent,
      idSkeleton,
      nameSkeleton,
      withBroadcasts: options.withBroadcasts ?? false,
    }))
  if (!inserted) {
    throw new PosternError('AGENT_CONFUSABLE', { id: agent.displayName, other: lookalike?.id ?? agent.id })
  }
  return agent
}

/**
 * Names reserved for authors: two for authors of gates, and `postern` for Postern's own messages. No new agent or
 * service gets such
 * a name; those that have one keep it.
 */
const AUTHOR_WORDS: readonly string[] = ['configuration', 'unknown', 'postern']

/** The reserved name that a name is, or could be taken for. */
export function reservedLike(name: string): string | undefined {
  const skeleton = skeletonOf(name)
  return [...RESERVED_IDS, ...AUTHOR_WORDS].find((reserved) => skeletonOf(reserved) === skeleton)
}

export function confusableWithReserved(name: string, reserved: string): PosternError {
  return new PosternError('AGENT_CONFUSABLE', { id: name, other: `${reserved}, which is reserved` })
}

/**
 * Refuses a name that could be taken for a reserved one, such as `all` or `configuration`, or for a service: the
 * events of a
 * service show its name as the sender.
 */
export async function requireUnreservedName(tx: Shelves, name: string): Promise<void> {
  const skeleton = skeletonOf(name)
  const reserved = reservedLike(name)
  if (reserved === name) throw new PosternError('AGENT_ID_RESERVED', { id: name })
  if (reserved !== undefined) throw confusableWithReserved(name, reserved)
  const services = await tx.services.list({ revoked: false })
  const lookalike = services.find(({ service }) => skeletonOf(service.name) === skeleton)
  if (lookalike)
    throw new PosternError('AGENT_CONFUSABLE', { id: name, other: `the service ${lookalike.service.name}` })
}

/**
 * Adding the same agent again is no error, so that set-up scripts can be repeated. It may make a person an owner. An
 * input that does not mention ownership leaves it as it is.
 */
async function registerAgain(tx: Shelves, known: Agent, wanted: Agent, options: AddAgent): Promise<Agent> {
  const isBack = known.removedAt !== null
  if (isBack && !options.restore) throw new PosternError('AGENT_REMOVED', { id: known.id })
  if (!isSame(known, wanted, options)) throw new PosternError('AGENT_EXISTS', { id: known.id })
  if (isBack) await tx.agents.setRemoved({ id: known.id, removedAt: null })
  if (wanted.isOwner && !known.isOwner) await tx.agents.setOwner({ id: known.id })
  return { ...known, isOwner: known.isOwner || wanted.isOwner, removedAt: null }
}

/** A caller that restores a removed agent need not repeat its kind. */
function isSame(known: Agent, wanted: Agent, { kind, displayName, isOwner }: AddAgent): boolean {
  const isKind = known.kind === wanted.kind || (kind === undefined && known.removedAt !== null)
  const isNamed = displayName === undefined || known.displayName === wanted.displayName
  return isKind && isNamed && !(known.isOwner && isOwner === false)
}
