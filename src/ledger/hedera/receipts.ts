import { GrpcError } from '../protocol/grpc-frames.ts'
import { formatId, toTransactionId } from '../protocol/names.ts'
import { ANSWER_ONLY, Query, Response } from '../protocol/queries.ts'
import { NODE_CALLS } from '../protocol/services.ts'
import { STATUS, statusName } from '../protocol/status.ts'
import type { Receipt } from '../protocol/transactions.ts'
import type { LedgerNode } from './nodes.ts'

/** `pending`: the node knows it not, or not yet, or has no time to say. */
export type ReceiptState =
  | { readonly state: 'pending'; readonly status: string }
  | { readonly state: 'refused'; readonly status: string }
  | ({ readonly state: 'done' } & Settled)

/** What a transaction has brought. */
export interface Settled {
  readonly topicId: string | null
  readonly sequence: number | null
  /** In hex. */
  readonly runningHash: string | null
}

/** Says nothing about what becomes of a transaction. */
const OPEN_STATES: readonly number[] = [
  STATUS.UNKNOWN,
  STATUS.OK,
  STATUS.BUSY,
  STATUS.RECEIPT_NOT_FOUND,
  STATUS.PLATFORM_NOT_ACTIVE,
  STATUS.PLATFORM_TRANSACTION_NOT_CREATED,
  // It had no effect, and under another name it may have one.
  STATUS.THROTTLED_AT_CONSENSUS,
]

/** Asks one node. Throws a GrpcError where it gives no answer. */
async function askReceipt(node: LedgerNode, transaction: string, timeoutMs: number): Promise<ReceiptState> {
  const { receipt: answer } = await node.channel.callUnary({
    path: NODE_CALLS.getReceipts,
    request: Query,
    answer: Response,
    message: { receipt: { header: { responseType: ANSWER_ONLY }, transaction: toTransactionId(transaction) } },
    timeoutMs,
  })
  const precheck = answer?.header?.precheck ?? STATUS.OK
  if (precheck !== STATUS.OK) return { state: 'pending', status: statusName(precheck) }
  const receipt = answer?.receipt
  const status = receipt?.status ?? STATUS.UNKNOWN
  if (receipt && status === STATUS.SUCCESS) return { state: 'done', ...settledBy(receipt) }
  return { state: OPEN_STATES.includes(status) ? 'pending' : 'refused', status: statusName(status) }
}

/** The same of a node that may not answer: then it rests. */
export async function tryReceipt(node: LedgerNode, transaction: string, timeoutMs: number): Promise<ReceiptState> {
  try {
    const state = await askReceipt(node, transaction, timeoutMs)
    node.report(true)
    return state
  } catch (error) {
    if (!(error instanceof GrpcError)) throw error
    node.report(false)
    return { state: 'pending', status: error.message }
  }
}

function settledBy({ topic, sequence, runningHash }: Receipt): Settled {
  return {
    topicId: formatId(topic) ?? null,
    sequence: sequence === 0 ? null : sequence,
    runningHash: runningHash.length === 0 ? null : Buffer.from(runningHash).toString('hex'),
  }
}
