import { isLedgerId } from '../../model/ledger/topic.ts'
import type { AccountId, Timestamp, TopicId, TransactionId } from './basics.ts'
import { ProtocolError } from './bytes.ts'

/** Ids and times as people write them, and as they lie on the wire. */

interface Place {
  readonly shard: number
  readonly realm: number
  readonly number: number
}

const NANOS_PER_SECOND = 1_000_000_000n
const TIME = /^(0|[1-9][0-9]{0,11})\.([0-9]{9})$/

/** `0.0.1005`, of an account or a topic. */
export function parseId(id: string): Place {
  if (!isLedgerId(id)) throw new ProtocolError(`"${id}" is no id`)
  const [shard = 0, realm = 0, number = 0] = id.split('.').map(Number)
  return { shard, realm, number }
}

/** Undefined where none is written, or one that is no plain number. */
export function formatId(id: AccountId | TopicId | undefined): string | undefined {
  if (!id || ('alias' in id && id.alias !== undefined)) return undefined
  const written = `${id.shard}.${id.realm}.${id.number}`
  return isLedgerId(written) ? written : undefined
}

/** `1713898880.739044003` */
export function parseTime(time: string): Timestamp {
  const [, seconds, nanos] = TIME.exec(time) ?? []
  if (seconds === undefined || nanos === undefined) throw new ProtocolError(`"${time}" is no time`)
  return { seconds: Number(seconds), nanos: Number(nanos) }
}

export function formatTime({ seconds, nanos }: Timestamp): string {
  const written = `${seconds}.${String(nanos).padStart(9, '0')}`
  if (!TIME.test(written)) throw new ProtocolError('a time is out of bounds')
  return written
}

/** Some nanoseconds later. */
export function laterBy(nanos: number, time: string): string {
  const { seconds, nanos: within } = parseTime(time)
  const all = BigInt(seconds) * NANOS_PER_SECOND + BigInt(within + nanos)
  return formatTime({ seconds: Number(all / NANOS_PER_SECOND), nanos: Number(all % NANOS_PER_SECOND) })
}

/** A transaction as it is named everywhere: `0.0.2@1713898880.739044003`. */
export interface TransactionName {
  readonly account: string
  readonly validStart: string
}

export function parseTransaction(name: string): TransactionName {
  const [account = '', validStart = '', ...more] = name.split('@')
  if (more.length > 0 || !isLedgerId(account) || !TIME.test(validStart)) {
    throw new ProtocolError(`"${name}" is no transaction`)
  }
  return { account, validStart }
}

export function toTransactionId(name: string) {
  const { account, validStart } = parseTransaction(name)
  return { account: parseId(account), validStart: parseTime(validStart) }
}

/** Undefined where a part of it is missing. */
export function formatTransaction(id: TransactionId | undefined): string | undefined {
  const account = formatId(id?.account)
  return account && id?.validStart ? `${account}@${formatTime(id.validStart)}` : undefined
}
