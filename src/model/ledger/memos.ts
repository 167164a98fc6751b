import { PosternError } from '../errors.ts'
import { utf8Length } from '../text.ts'
import type { Hcs10Op } from './hcs10.ts'
import { isLedgerId, MEMO_BYTES, MEMO_TTL } from './topic.ts'
import { formatWorkItem, parseWorkItem } from './work-item.ts'

/** What the memo of a topic says about it. */
export type TopicMemo =
  | { readonly type: 'inbound'; readonly ttl: number; readonly account: string }
  | { readonly type: 'outbound'; readonly ttl: number }
  | {
      readonly type: 'connection'
      readonly ttl: number
      readonly inboundTopicId: string
      /** The sequence number of the request on that inbound topic. */
      readonly connectionId: number
    }
  | { readonly type: 'registry'; readonly ttl: number; readonly metadataTopicId: string | null }
  /** An HCS-1 file; the hash is that of its content before it was compressed. */
  | { readonly type: 'file'; readonly sha256: string; readonly algorithm: FileAlgorithm }
  /** A list of HCS-2. */
  | { readonly type: 'list'; readonly isIndexed: boolean; readonly ttl: number }
  /** Ours: the topic of a work item such as `task:PROJ-12`. No standard covers it. */
  | { readonly type: 'work'; readonly entity: string }
  | { readonly type: 'definitions' }

export type FileAlgorithm = 'brotli' | 'zstd'

export const DEFINITIONS_MEMO = 'postern:definitions'

export function formatInboundMemo(account: string): string {
  return `hcs-10:0:${MEMO_TTL}:0:${account}`
}

export function formatOutboundMemo(): string {
  return `hcs-10:0:${MEMO_TTL}:1`
}

export function formatConnectionMemo(inboundTopicId: string, connectionId: number): string {
  return `hcs-10:1:${MEMO_TTL}:2:${inboundTopicId}:${connectionId}`
}

export function formatFileMemo(sha256: string, algorithm: FileAlgorithm): string {
  return `${sha256}:${algorithm}:base64`
}

/** `entity` as in `task:PROJ-12`. */
export function formatWorkMemo(entity: string): string {
  return `postern:work:${entity}`
}

/** The memo of an account whose profile is an HCS-1 file. `{name}` of a parcel's step may stand for the topic. */
export function formatProfileMemo(fileTopicId: string): string {
  return `hcs-11:${formatFileLink(fileTopicId)}`
}

/** The topic of the profile that the memo of an account names; undefined where it is not an HCS-1 file. */
export function parseProfileMemo(memo: string): string | undefined {
  return memo.startsWith('hcs-11:') ? parseFileLink(memo.slice('hcs-11:'.length)) : undefined
}

const FILE_LINK = 'hcs://1/'

export function formatFileLink(fileTopicId: string): string {
  return `${FILE_LINK}${fileTopicId}`
}

/** The topic of an HCS-1 file to which the `data` of a message is only a link. */
export function parseFileLink(text: string): string | undefined {
  const topicId = text.startsWith(FILE_LINK) ? text.slice(FILE_LINK.length) : undefined
  return isLedgerId(topicId) ? topicId : undefined
}

/** Undefined where the memo is of no kind that is known here. */
export function parseTopicMemo(memo: string): TopicMemo | undefined {
  if (memo === DEFINITIONS_MEMO) return { type: 'definitions' }
  if (memo.startsWith('postern:work:')) return parseWorkMemo(memo.slice('postern:work:'.length))
  const file = /^([0-9a-f]{64}):(brotli|zstd):base64$/.exec(memo)
  if (file?.[1] && file[2]) return { type: 'file', sha256: file[1], algorithm: file[2] as FileAlgorithm }
  const [protocol, indexed = '', ttlText = '', ...rest] = memo.split(':', 8)
  const ttl = parseTtl(ttlText)
  if (ttl === undefined || !/^[01]$/.test(indexed)) return undefined
  if (protocol === 'hcs-10') return parseHcs10Memo(ttl, rest)
  if (protocol === 'hcs-2' && rest.length === 0) return { type: 'list', isIndexed: indexed === '1', ttl }
  return undefined
}

const OPS: Readonly<Record<Hcs10Op, number>> = {
  register: 0,
  delete: 1,
  migrate: 2,
  connection_request: 3,
  connection_created: 4,
  connection_closed: 5,
  close_connection: 5,
  message: 6,
  // The standard gives it no number; the reference uses that of a message.
  transaction: 6,
}

/** Here a topic is counted otherwise than in its own memo. */
const TOPIC_TYPES = { registry: 0, inbound: 1, outbound: 2, connection: 3 } as const

export type Hcs10TopicType = keyof typeof TOPIC_TYPES

/** The memo of the transaction by which an operation is submitted; HCS-10 requires it. */
export function transactionMemo(op: Hcs10Op, topicType: Hcs10TopicType): string {
  return `hcs-10:op:${OPS[op]}:${TOPIC_TYPES[topicType]}`
}

/** Returns the memo unchanged, or throws. */
export function requireMemo(memo: string): string {
  const reason = troubleOf(memo)
  if (reason === undefined) return memo
  throw new PosternError('LEDGER_MEMO_INVALID', { memo, reason })
}

function troubleOf(memo: string): string | undefined {
  if (!memo.isWellFormed()) return 'it has a lone surrogate'
  if (memo.includes('\0')) return 'it has a NUL character'
  const bytes = utf8Length(memo)
  return bytes > MEMO_BYTES ? `it has ${bytes} bytes` : undefined
}

function parseHcs10Memo(ttl: number, [kind, first, second, ...more]: readonly string[]): TopicMemo | undefined {
  if (more.length > 0) return undefined
  if (kind === '0' && isLedgerId(first) && second === undefined) return { type: 'inbound', ttl, account: first }
  if (kind === '1' && first === undefined) return { type: 'outbound', ttl }
  if (kind === '2' && isLedgerId(first) && second !== undefined && /^[1-9][0-9]{0,14}$/.test(second))
    return { type: 'connection', ttl, inboundTopicId: first, connectionId: Number(second) }
  if (kind !== '3' || second !== undefined) return undefined
  if (first === undefined) return { type: 'registry', ttl, metadataTopicId: null }
  return isLedgerId(first) ? { type: 'registry', ttl, metadataTopicId: first } : undefined
}

function parseWorkMemo(text: string): TopicMemo | undefined {
  try {
    return { type: 'work', entity: formatWorkItem(parseWorkItem(text)) }
  } catch {
    return undefined
  }
}

function parseTtl(text: string): number | undefined {
  return /^[0-9]{1,10}$/.test(text) ? Number(text) : undefined
}
