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
  if (typeof value !== 'string' || !AGENT_ID.test(value))
    throw new PosternError('AGENT_ID_INVALID', { id: quote(value) })
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
    value: String(value),
    next: `Use one of ${AGENT_KINDS.join(', ')}.`,
  })
}

/**
 * What a name looks like to a hurried reader: two names with one skeleton are confusable. The table folds what
 * terminals draw alike in ASCII, and the letters of other scripts that are drawn like Latin ones.
 */
export function skeletonOf(name: string): string {
  let folded = ''
  for (const character of name.normalize('NFKD').replace(/[\p{M}\p{Cf}\p{Cc}]/gu, '')) {
    folded += LOOKALIKES[character] ?? character
  }
  return folded
    .toLowerCase()
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replace(/[\s_-]+/g, '-')
}

const LOOKALIKES: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'l',
  I: 'l',
  '|': 'l',
  а: 'a',
  е: 'e',
  о: 'o',
  р: 'p',
  с: 'c',
  х: 'x',
  у: 'y',
  і: 'i',
  ј: 'j',
  ѕ: 's',
  ԁ: 'd',
  һ: 'h',
  ո: 'n',
  к: 'k',
  м: 'm',
  т: 't',
  в: 'b',
  н: 'h',
  А: 'a',
  В: 'b',
  Е: 'e',
  К: 'k',
  М: 'm',
  Н: 'h',
  О: 'o',
  Р: 'p',
  С: 'c',
  Т: 't',
  Х: 'x',
  У: 'y',
  І: 'l',
  Ј: 'j',
  Ѕ: 's',
  α: 'a',
  ο: 'o',
  ρ: 'p',
  υ: 'u',
  ν: 'v',
  κ: 'k',
  ι: 'i',
  η: 'n',
  τ: 't',
  γ: 'y',
  χ: 'x',
  Α: 'a',
  Β: 'b',
  Ε: 'e',
  Ζ: 'z',
  Η: 'h',
  Ι: 'l',
  Κ: 'k',
  Μ: 'm',
  Ν: 'n',
  Ο: 'o',
  Ρ: 'p',
  Τ: 't',
  Υ: 'y',
  Χ: 'x',
  ı: 'i',
  ɑ: 'a',
  ɡ: 'g',
  ℓ: 'l',
  ǀ: 'l',
}

function quote(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : String(value)
}
