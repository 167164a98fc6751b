import { createGrpcChannel } from '../../../src/ledger/protocol/grpc-client.ts'
import { GRPC, GrpcError } from '../../../src/ledger/protocol/grpc-frames.ts'
import { createGrpcServer } from '../../../src/ledger/protocol/grpc-server.ts'
import { NODE_CALLS } from '../../../src/ledger/protocol/services.ts'
import { TransactionResponse } from '../../../src/ledger/protocol/transactions.ts'
import { DEAD_MACHINE_MS } from '../patience.ts'
import { openRelay, RAW } from './stream-faults.ts'

/** What a node may do wrong. Fields that count go down with each use. */
export interface NodeFaults {
  /** So many transactions more are taken, and their answer is lost. */
  lostAnswers: number
  /** So many transactions more never reach the node. */
  lostRequests: number
  /** So many transactions more are not taken, with this status. */
  refusals: number
  refusal: number
  /** So many receipts more cannot be had. */
  lostReceipts: number
  /** True: nobody answers at all. */
  isDown: boolean
}

const BUSY = 12
const QUESTIONS: readonly string[] = [NODE_CALLS.getTopicInfo, NODE_CALLS.getBalance, NODE_CALLS.getReceipts]

export function createNodeFaults(): NodeFaults {
  return { lostAnswers: 0, lostRequests: 0, refusals: 0, refusal: BUSY, lostReceipts: 0, isDown: false }
}

/** Passes calls on to a node, as far as the faults let it. */
export async function relayNode(address: string, faults: NodeFaults, asked: { transactions: number }) {
  const channel = createGrpcChannel(address)
  const pass = (path: string, message: Uint8Array) =>
    channel.callUnary({ path, request: RAW, answer: RAW, message, timeoutMs: DEAD_MACHINE_MS })

  async function take(path: string, message: Uint8Array): Promise<Uint8Array> {
    asked.transactions++
    if (uses(faults, 'lostRequests')) throw lost()
    if (uses(faults, 'refusals')) return TransactionResponse.encode({ precheck: faults.refusal })
    const answer = await pass(path, message)
    if (uses(faults, 'lostAnswers')) throw lost()
    return answer
  }

  const relay = (path: string) => async (message: Uint8Array) => {
    if (faults.isDown) throw lost()
    if (path === NODE_CALLS.getReceipts && uses(faults, 'lostReceipts')) throw lost()
    return QUESTIONS.includes(path) ? pass(path, message) : take(path, message)
  }
  const server = createGrpcServer({
    unary: Object.fromEntries(Object.values(NODE_CALLS).map((path) => [path, relay(path)])),
  })
  return openRelay(server, channel)
}

function uses(faults: NodeFaults, name: 'lostAnswers' | 'lostRequests' | 'refusals' | 'lostReceipts'): boolean {
  if (faults[name] === 0) return false
  faults[name]--
  return true
}

function lost(): GrpcError {
  return new GrpcError(GRPC.UNAVAILABLE, 'the connection was cut')
}
