import { parseAgentId } from '../agent.ts'
import { PosternError } from '../errors.ts'

export const SCOPE_KINDS = ['admin', 'human', 'agent', 'service'] as const
export type ScopeKind = (typeof SCOPE_KINDS)[number]

/** Whom a token speaks for. An administrator may speak for anybody. */
export interface Scope {
  readonly kind: ScopeKind
  /** Null for an administrator. */
  readonly id: string | null
}

/** A credential of a program or a person that comes over the network. Only its hash is kept. */
export interface Token {
  readonly id: string
  readonly scope: string
  readonly label: string
  readonly createdBy: string
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** The token that it was got with, whose end is its own; null for one that was made for itself. */
  readonly parentId: string | null
}

export const TOKEN_PREFIX = 'pst_'

/** Whether a text could be a token at all. */
export function isToken(text: string): boolean {
  return /^pst_[A-Za-z0-9_-]{43}$/.test(text)
}

/** `admin`, `human:justin`, `agent:quinn` or `service:ci`. */
export function parseScope(text: string): Scope {
  if (text === 'admin') return { kind: 'admin', id: null }
  const [, kind, id] = /^(human|agent|service):(.+)$/.exec(text) ?? []
  if (kind !== undefined && id !== undefined) return { kind: kind as ScopeKind, id: parseAgentId(id) }
  throw new PosternError('SCOPE_INVALID', { scope: text })
}
