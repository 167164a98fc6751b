import { createGrpcServer } from '../../../src/ledger/protocol/grpc-server.ts'
import { formatTransaction } from '../../../src/ledger/protocol/names.ts'
import { Query, Response } from '../../../src/ledger/protocol/queries.ts'
import { NODE_CALLS } from '../../../src/ledger/protocol/services.ts'
import { STATUS, type StatusName } from '../../../src/ledger/protocol/status.ts'
import {
  SignedTransaction,
  Transaction,
  TransactionBody,
  TransactionResponse,
} from '../../../src/ledger/protocol/transactions.ts'

/** A node that says what it was told to say; the last word is repeated. */
export interface ScriptedNode {
  readonly address: string
  /** The transactions that it was shown, in order. */
  readonly shown: readonly TransactionBody[]
  /** How often it was asked for a receipt. */
  readonly asked: readonly string[]
  close(): Promise<void>
}

export interface NodeScript {
  /** `silence`: no answer at all. */
  readonly prechecks: readonly (StatusName | 'silence')[]
  readonly receipts?: readonly StatusName[]
}

export async function startScriptedNode({ prechecks, receipts = ['SUCCESS'] }: NodeScript): Promise<ScriptedNode> {
  const shown: TransactionBody[] = []
  const asked: string[] = []
  const said = <T>(script: readonly T[], at: number) => script[Math.min(at, script.length - 1)] as T

  async function take(bytes: Uint8Array): Promise<Uint8Array> {
    const { signed } = Transaction.decode(bytes)
    shown.push(TransactionBody.decode(SignedTransaction.decode(signed).body))
    const word = said(prechecks, shown.length - 1)
    if (word === 'silence') return await new Promise(() => {})
    return TransactionResponse.encode({ precheck: STATUS[word] })
  }

  async function answerReceipt(bytes: Uint8Array): Promise<Uint8Array> {
    const { receipt } = Query.decode(bytes)
    asked.push(formatTransaction(receipt?.transaction) ?? '')
    const status = STATUS[said(receipts, asked.length - 1)]
    return Response.encode({
      receipt: {
        header: {},
        receipt: { status, topic: { number: 1005 }, sequence: 7, runningHash: Buffer.alloc(48, 1) },
      },
    })
  }

  const taking = [NODE_CALLS.submitMessage, NODE_CALLS.createTopic, NODE_CALLS.updateAccount]
  const server = createGrpcServer({
    unary: { ...Object.fromEntries(taking.map((path) => [path, take])), [NODE_CALLS.getReceipts]: answerReceipt },
  })
  const port = await server.listen(0, '127.0.0.1')
  return { address: `127.0.0.1:${port}`, shown, asked, close: () => server.close() }
}
