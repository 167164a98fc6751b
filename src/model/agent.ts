import { foldCharacter } from '../kit/pure/lookalikes.ts'
import { PosternError } from './errors.ts'

/** Anyone with an inbox. The id never changes and is never given to another; only the display name may change. */
export interface Agent {
  readonly id: string
  readonly kind: AgentKind
  readonly displayName: string
  /** A person who is told when something needs a person. */
  readonly isOwner: boolean
  readonly createdAt: number
  readonly removedAt: number | null
}

export const AGENT_KINDS = ['ai', 'human', 'service'] as const
export type AgentKind = (typeof AGENT_KINDS)[number]

export const RESERVED_IDS: readonly string[] = ['all', 'system', 'local']

const AGENT_ID = /^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$/

/** Returns the id unchanged, or throws. Ids are lower-case so that no two differ only in case. */
export function parseAgentId(value: unknown): string {
  if (typeof value !== 'string' || !AGENT_ID.test(value)) throw new PosternError('AGENT_ID_INVALID', { id: value })
  if (RESERVED_IDS.includes(value)) throw new PosternError('AGENT_ID_RESERVED', { id: value })
  return value
}

export function isAgentId(value: string): boolean {
  return AGENT_ID.test(value) && !RESERVED_IDS.includes(value)
}

export function parseAgentKind(value: unknown): AgentKind {
  if (AGENT_KINDS.includes(value as AgentKind)) return value as AgentKind
  throw new PosternError('VALUE_INVALID', {
    field: 'kind',
    value,
    next: `Use one of ${AGENT_KINDS.join(', ')}.`,
  })
}

/**
 * What a name looks like to a hurried reader: two names with one skeleton are confusable. Letters of other scripts that
 * are drawn like ASCII count as those, case and accents do not count, and neither do the look-alikes within ASCII.
 */
export function skeletonOf(name: string): string {
  const folded = [...name].map(foldCharacter).join('')
  return folded
    .replace(/[i1|]/g, 'l')
    .replaceAll('0', 'o')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replace(/[\s_-]+/g, '-')
}
