import type { PosternError } from '../../model/errors.ts'
import { GrpcError } from '../protocol/grpc-frames.ts'
import { parseId, parseTransaction, toTransactionId } from '../protocol/names.ts'
import { STATUS, statusName } from '../protocol/status.ts'
import {
  SignedTransaction,
  Transaction,
  TransactionBody,
  TransactionResponse,
  type WrittenBody,
} from '../protocol/transactions.ts'
import type { Faults } from './faults.ts'
import type { LedgerNode, LedgerNodes } from './nodes.ts'
import { VALID_SECONDS } from './options.ts'
import type { Patience } from './patience.ts'
import { type ReceiptState, type Settled, tryReceipt } from './receipts.ts'
import type { Signer } from './signers.ts'

export interface Order {
  readonly transaction: string
  /** The call of the node that takes it. */
  readonly path: string
  /** Its memo, and what it is about. */
  readonly body: Omit<WrittenBody, 'id' | 'node' | 'maxFee' | 'validDuration'>
  /** The most that is paid for it, in tinybars. */
  readonly maxFee: bigint
  readonly signers: readonly Signer[]
}

export interface Transactor {
  readonly nodes: LedgerNodes
  readonly faults: Faults
  readonly patience: () => Patience
  /** What became of it, where a node says that it is too late to ask. */
  readonly settled: (transaction: string) => Promise<Settled | undefined>
  readonly now: () => number
}

/** Another node, or a later moment, may take it. */
const TRY_AGAIN: readonly number[] = [
  STATUS.BUSY,
  STATUS.UNKNOWN,
  STATUS.PLATFORM_NOT_ACTIVE,
  STATUS.PLATFORM_TRANSACTION_NOT_CREATED,
  STATUS.INVALID_NODE_ACCOUNT,
  // Our clock is ahead of the node's.
  STATUS.INVALID_TRANSACTION_START,
]
const TAKEN: readonly number[] = [STATUS.OK, STATUS.DUPLICATE_TRANSACTION]

/**
 * Brings a transaction to a node and waits for its receipt. Nodes are tried in turn under one name, so it counts once at
 * most. Throws LEDGER_REFUSED only where it surely has not counted, else LEDGER_UNREACHABLE.
 */
export async function transact(parts: Transactor, order: Order): Promise<Settled> {
  const patience = parts.patience()
  // A node that gave no answer may have taken it nevertheless.
  let isOpen = false
  let reason = ''
  do {
    const node = parts.nodes.next()
    const { code, message } = await present(node, order, patience.callMs)
    if (code !== undefined && TAKEN.includes(code)) return await awaitReceipt(parts, patience, { node, order })
    if (code === STATUS.TRANSACTION_EXPIRED) return await tooLate(parts, order)
    if (code !== undefined && !TRY_AGAIN.includes(code))
      throw isOpen ? open(parts, message) : parts.faults.refused(message)
    isOpen ||= code === undefined
    reason = code === STATUS.INVALID_TRANSACTION_START ? `${message}: our clock is ahead of the network's` : message
  } while (await patience.again())
  throw open(parts, reason)
}

/** What the node said; no code where it gave no answer. */
async function present(
  node: LedgerNode,
  order: Order,
  timeoutMs: number,
): Promise<{ readonly code: number | undefined; readonly message: string }> {
  try {
    const message = { signed: write(order, node.account) }
    const call = { path: order.path, request: Transaction, answer: TransactionResponse, message, timeoutMs }
    const { precheck } = await node.channel.callUnary(call)
    node.report(!TRY_AGAIN.includes(precheck))
    return { code: precheck, message: statusName(precheck) }
  } catch (error) {
    if (!(error instanceof GrpcError)) throw error
    node.report(false)
    return { code: undefined, message: error.message }
  }
}

function write({ transaction, body, maxFee, signers }: Order, node: string): Uint8Array {
  const bytes = TransactionBody.encode({
    ...body,
    id: toTransactionId(transaction),
    node: parseId(node),
    maxFee,
    validDuration: { seconds: VALID_SECONDS },
  })
  return SignedTransaction.encode({ body: bytes, signatures: { pairs: signers.map((signer) => signer.sign(bytes)) } })
}

/** First from the node that has taken it, then from others. */
async function awaitReceipt(
  { nodes, faults }: Transactor,
  patience: Patience,
  { node, order }: { readonly node: LedgerNode; readonly order: Order },
): Promise<Settled> {
  let asked = node
  let answer: ReceiptState
  do {
    answer = await tryReceipt(asked, order.transaction, patience.callMs)
    if (answer.state === 'done') return answer
    if (answer.state === 'refused') throw faults.refused(answer.status)
    if (answer.status !== 'UNKNOWN' && answer.status !== 'RECEIPT_NOT_FOUND') asked = nodes.next()
  } while (await patience.again())
  throw faults.unreachable(`there is no receipt for ${order.transaction} yet (${answer.status})`)
}

async function tooLate({ settled, faults, now }: Transactor, { transaction }: Order): Promise<Settled> {
  const isFresh = now() / 1_000 < Number(parseTransaction(transaction).validStart) + VALID_SECONDS
  const found = await settled(transaction)
  if (found) return found
  const why = isFresh ? ": our clock is behind the network's" : ''
  throw faults.unreachable(`the transaction ${transaction} is too old to be taken${why}`)
}

function open({ faults }: Transactor, reason: string): PosternError {
  return faults.unreachable(reason || 'no node answers')
}
