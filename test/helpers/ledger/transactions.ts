import { readFileSync } from 'node:fs'
import { createSigner, type Signer } from '../../../src/ledger/hedera/signers.ts'
import { createGrpcChannel } from '../../../src/ledger/protocol/grpc-client.ts'
import { parseId, toTransactionId } from '../../../src/ledger/protocol/names.ts'
import { Query, Response } from '../../../src/ledger/protocol/queries.ts'
import { NODE_CALLS } from '../../../src/ledger/protocol/services.ts'
import { statusName } from '../../../src/ledger/protocol/status.ts'
import {
  type Receipt,
  SignedTransaction,
  Transaction,
  TransactionBody,
  TransactionResponse,
  type WrittenBody,
} from '../../../src/ledger/protocol/transactions.ts'
import { DEAD_MACHINE_MS } from '../patience.ts'
import type { LoopbackLedger } from './loopback.ts'
import { RAW } from './stream-faults.ts'

/** Somebody who sends whatever a test wants to a node, well formed or not. */
export interface RawClient {
  /** A transaction of the operator that is fit to be taken, but for what is changed in it. */
  bodyOf(change: WrittenBody): WrittenBody & { readonly name: string }
  signed(body: WrittenBody, ...signers: readonly Signer[]): Uint8Array
  /** Whether it is taken. */
  send(call: keyof typeof NODE_CALLS, bytes: Uint8Array): Promise<string>
  /** What became of a transaction. */
  receipt(
    name: string,
  ): Promise<{ readonly header: string; readonly status: string; readonly receipt: Receipt | undefined }>
  /** Signed by the operator, sent, and what became of it. */
  carryOut(call: keyof typeof NODE_CALLS, change: WrittenBody, ...signers: readonly Signer[]): Promise<Carried>
  readonly operator: Signer
  close(): void
}

export interface Carried {
  readonly precheck: string
  readonly status: string
  readonly receipt: Receipt | undefined
  readonly name: string
}

export async function createRawClient(
  ledger: Pick<LoopbackLedger, 'nodes' | 'operator' | 'ledger'>,
): Promise<RawClient> {
  const [address = ''] = Object.keys(ledger.nodes)
  const channel = createGrpcChannel(address)
  const operator = await createSigner(readFileSync(ledger.operator.keyFile, 'utf8'))

  const client: RawClient = {
    operator,
    bodyOf(change) {
      const name = ledger.ledger.newTransaction()
      return {
        name,
        id: toTransactionId(name),
        node: parseId('0.0.3'),
        validDuration: { seconds: 120 },
        ...change,
      }
    },
    signed(body, ...signers) {
      const bytes = TransactionBody.encode(body)
      const signatures = { pairs: signers.map((signer) => signer.sign(bytes)) }
      return Transaction.encode({ signed: SignedTransaction.encode({ body: bytes, signatures }) })
    },
    async send(call, message) {
      const answer = await channel.callUnary({
        path: NODE_CALLS[call],
        request: RAW,
        answer: RAW,
        message,
        timeoutMs: DEAD_MACHINE_MS,
      })
      return statusName(TransactionResponse.decode(answer).precheck)
    },
    async receipt(name) {
      const message = Query.encode({ receipt: { transaction: toTransactionId(name) } })
      const bytes = await channel.callUnary({
        ...{ path: NODE_CALLS.getReceipts, request: RAW, answer: RAW, message, timeoutMs: DEAD_MACHINE_MS },
      })
      const { receipt } = Response.decode(bytes)
      return {
        header: statusName(receipt?.header?.precheck ?? -1),
        status: statusName(receipt?.receipt?.status ?? -1),
        receipt: receipt?.receipt,
      }
    },
    async carryOut(call, change, ...signers) {
      const { name, ...body } = client.bodyOf(change)
      const precheck = await client.send(call, client.signed(body, operator, ...signers))
      const { status, receipt } = await client.receipt(name)
      return { precheck, status, receipt, name }
    },
    close: () => channel.close(),
  }
  return client
}
