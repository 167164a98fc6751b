import type { LedgerTopic } from '../../../model/ledger/topic.ts'
import type { LedgerShelf } from '../../../store/store.ts'
import { type Span, sequenceAt } from '../entry-search.ts'
import { nanosOf } from '../times.ts'
import { RestError } from './errors.ts'

/** What was asked of a topic's messages, as mirrors understand it. */
export interface MessageFilters {
  readonly limit: number
  readonly isBackwards: boolean
  readonly isText: boolean
  readonly sequences: readonly Bound[]
  readonly times: readonly Bound[]
}

export interface Bound {
  readonly operator: Operator
  /** A sequence number, or nanoseconds. */
  readonly value: bigint
}

type Operator = 'eq' | 'gt' | 'gte' | 'lt' | 'lte'

const LIMIT = 25
const MAX_LIMIT = 100
/** How often one parameter may be given. */
const MAX_REPEATED = 100
const MAX_LONG = 2n ** 63n - 1n

const KNOWN = ['encoding', 'limit', 'order', 'sequencenumber', 'timestamp'] as const

export function parseFilters(query: URLSearchParams): MessageFilters {
  for (const name of new Set(query.keys()))
    if (!KNOWN.includes(name as (typeof KNOWN)[number])) throw new RestError(400, `Unknown query parameter: ${name}`)
  return {
    limit: Math.min(Number(lastOf(query, 'limit', isPositive) ?? LIMIT), MAX_LIMIT),
    isBackwards: lastOf(query, 'order', (value) => /^(?:asc|desc)$/i.test(value))?.toLowerCase() === 'desc',
    isText: /^utf/i.test(lastOf(query, 'encoding', (value) => /^(?:base64|utf-?8)$/i.test(value)) ?? ''),
    sequences: boundsOf(query, 'sequencenumber', isPositive, BigInt),
    times: boundsOf(query, 'timestamp', isTime, nanosOf),
  }
}

/** Seconds with up to nine digits behind the point. */
export function isTime(value: string): boolean {
  return /^\d{1,10}(?:\.\d{1,9})?$/.test(value)
}

export function isPositive(value: string): boolean {
  return /^\d{1,19}$/.test(value) && BigInt(value) >= 1n && BigInt(value) <= MAX_LONG
}

export function invalid(name: string): RestError {
  return new RestError(400, `Invalid parameter: ${name}`)
}

/** Every value that was given must be fit; the last one counts. */
function lastOf(query: URLSearchParams, name: string, isFit: (value: string) => boolean): string | undefined {
  const values = valuesOf(query, name).map(({ operator, value }) => {
    if (operator !== 'eq' || !isFit(value)) throw invalid(name)
    return value
  })
  return values.at(-1)
}

function boundsOf(
  query: URLSearchParams,
  name: string,
  isFit: (value: string) => boolean,
  read: (value: string) => bigint,
): Bound[] {
  return valuesOf(query, name).map(({ operator, value }) => {
    if (!isFit(value)) throw invalid(name)
    return { operator, value: read(value) }
  })
}

function valuesOf(query: URLSearchParams, name: string): { operator: Operator; value: string }[] {
  const given = query.getAll(name)
  if (given.length > MAX_REPEATED) throw invalid(name)
  return given.map((text) => {
    const [operator, value, ...more] = text.includes(':') ? text.split(':') : ['eq', text]
    if (value === undefined || more.length > 0 || !isOperator(operator)) throw invalid(name)
    return { operator, value }
  })
}

function isOperator(value: string | undefined): value is Operator {
  return value === 'eq' || value === 'gt' || value === 'gte' || value === 'lt' || value === 'lte'
}

/** The places at which all filters are met. There is no gap between them, because times rise with them. */
export async function spanOf(shelf: LedgerShelf, topic: LedgerTopic, filters: MessageFilters): Promise<Span> {
  let span: Span = { first: 1, last: topic.sequence }
  for (const { operator, value } of filters.sequences) span = narrow(span, operator, Number(value), Number(value) + 1)
  for (const { operator, value } of filters.times) {
    const at = await sequenceAt(shelf, topic, value)
    span = narrow(span, operator, at, await sequenceAt(shelf, topic, value + 1n))
  }
  return span
}

/** `at`: the first place that has the value or more; `behind`: the first that has more. */
function narrow({ first, last }: Span, operator: Operator, at: number, behind: number): Span {
  const from = operator === 'gt' ? behind : operator === 'gte' || operator === 'eq' ? at : first
  const to = operator === 'lt' ? at - 1 : operator === 'lte' || operator === 'eq' ? behind - 1 : last
  return { first: Math.max(first, from), last: Math.min(last, to) }
}

/** Where the next page is: the same question, behind the last message of this one. */
export function nextLink(path: string, query: URLSearchParams, isBackwards: boolean, lastAt: string): string {
  const same = isBackwards ? /^lte?:/ : /^gte?:/
  const kept = [...query].filter(([name, value]) => name !== 'timestamp' || !same.test(value))
  const asked = [...kept, ['timestamp', `${isBackwards ? 'lt' : 'gt'}:${lastAt}`]] as const
  return `${path}?${asked.map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%3A', ':')}`).join('&')}`
}
