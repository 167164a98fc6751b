import { createHash } from 'node:crypto'
import { MEMO_BYTES } from '../../model/ledger/topic.ts'
import type { SignatureMap, TransactionId } from '../protocol/basics.ts'
import { ProtocolError } from '../protocol/bytes.ts'
import { formatId, formatTransaction } from '../protocol/names.ts'
import { STATUS, type StatusName } from '../protocol/status.ts'
import { SignedTransaction, Transaction, TransactionBody } from '../protocol/transactions.ts'
import { NODE_ACCOUNT } from './serve-context.ts'

/** The node says no. Before it has taken a transaction there is no receipt of it; afterwards this is in its receipt. */
export class Refusal extends Error {
  readonly code: number

  constructor(name: StatusName) {
    super(name)
    this.code = STATUS[name]
  }
}

/** A transaction that is fit to be looked at. */
export interface Request {
  readonly transaction: string
  readonly payer: string
  readonly body: TransactionBody
  readonly signed: { readonly body: Uint8Array; readonly signatures: SignatureMap }
  readonly validSeconds: number
  /** SHA-384 of all that was signed, in base64. */
  readonly hash: string
}

const TRANSACTION_BYTES = 6 * 1024
const MAX_VALID_SECONDS = 180
/** Clocks of one machine agree, but clients count on with each try. */
const EARLY_MS = 10_000

export function readRequest(bytes: Uint8Array, now: number): Request {
  if (bytes.length > TRANSACTION_BYTES) throw new Refusal('TRANSACTION_OVERSIZE')
  const { signed, hash } = unwrap(bytes)
  const body = decode(TransactionBody, signed.body, 'INVALID_TRANSACTION_BODY')
  const { transaction, payer } = nameOf(body.id)
  if (formatId(body.node) !== NODE_ACCOUNT) throw new Refusal('INVALID_NODE_ACCOUNT')
  checkMemo(body.memo)
  const validSeconds = body.validDuration?.seconds ?? 0
  checkTime(body.id?.validStart?.seconds ?? 0, validSeconds, now)
  return { transaction, payer, body, signed, validSeconds, hash }
}

/** What the protocol schedules, or derives from others, is nobody's to send. */
function nameOf(id: TransactionId | undefined): Pick<Request, 'transaction' | 'payer'> {
  const [transaction, payer] = [tryFormat(id), formatId(id?.account)]
  if (transaction === undefined || payer === undefined || id?.isScheduled || id?.nonce !== 0)
    throw new Refusal('INVALID_TRANSACTION_ID')
  return { transaction, payer }
}

/** Undefined too where its time is none. */
export function tryFormat(id: TransactionId | undefined): string | undefined {
  try {
    return formatTransaction(id)
  } catch {
    return undefined
  }
}

export function checkMemo(memo: string): void {
  if (Buffer.byteLength(memo) > MEMO_BYTES) throw new Refusal('MEMO_TOO_LONG')
  if (memo.includes('\0')) throw new Refusal('INVALID_ZERO_BYTE_IN_STRING')
}

function unwrap(bytes: Uint8Array): Pick<Request, 'signed' | 'hash'> {
  const { signed, body, signatures } = decode(Transaction, bytes, 'INVALID_TRANSACTION')
  const hash = createHash('sha384')
    .update(signed.length === 0 ? bytes : signed)
    .digest('base64')
  if (signed.length === 0) return { signed: { body, signatures: signatures ?? { pairs: [] } }, hash }
  const inner = decode(SignedTransaction, signed, 'INVALID_TRANSACTION')
  return { signed: { body: inner.body, signatures: inner.signatures ?? { pairs: [] } }, hash }
}

function decode<T>(type: { decode(bytes: Uint8Array): T }, bytes: Uint8Array, otherwise: StatusName): T {
  try {
    return type.decode(bytes)
  } catch (error) {
    if (error instanceof ProtocolError) throw new Refusal(otherwise)
    throw error
  }
}

function checkTime(startSeconds: number, validSeconds: number, now: number): void {
  if (validSeconds < 1 || validSeconds > MAX_VALID_SECONDS) throw new Refusal('INVALID_TRANSACTION_DURATION')
  const startMs = startSeconds * 1000
  if (startMs > now + EARLY_MS) throw new Refusal('INVALID_TRANSACTION_START')
  if (startMs + validSeconds * 1000 <= now) throw new Refusal('TRANSACTION_EXPIRED')
}
