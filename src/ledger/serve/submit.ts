import { reasonOf } from '../../kit/pure/reason-of.ts'
import { STATUS } from '../protocol/status.ts'
import { isSignedBy, leavesOf, readKey } from './keys.ts'
import { Refusal, type Request, readRequest } from './precheck.ts'
import { isTaken, keepOutcome } from './receipts.ts'
import type { ServeContext } from './serve-context.ts'
import { signersOf } from './signers.ts'
import { timeOfMs } from './times.ts'
import type { Done, Handler, Job } from './transactions/handler.ts'

/**
 * Submits a transaction as a node does. The status says only whether the transaction was accepted; its result is in the
 * receipt, which exists by then. The receipt and the effects of the transaction are stored together, or not at all.
 */
export async function submitTransaction(context: ServeContext, handler: Handler, bytes: Uint8Array): Promise<number> {
  try {
    const request = readRequest(bytes, context.store.now())
    if (!handler.isOf(request.body)) throw new Refusal('INVALID_TRANSACTION_BODY')
    const signers = await signersFor(context, handler, request)
    handler.check(request)
    if (await isTaken(context.store.read, request.transaction)) throw new Refusal('DUPLICATE_TRANSACTION')
    const { afterwards } = await context.store.transact((tx) => carryOut(handler, { context, tx, request, signers }))
    afterwards?.()
    return STATUS.OK
  } catch (error) {
    if (error instanceof Refusal) return error.code
    context.note('ledger.serve.failed', { error: reasonOf(error) })
    // Nothing was stored, so the client may retry.
    return STATUS.BUSY
  }
}

async function signersFor({ store }: ServeContext, handler: Handler, request: Request): Promise<ReadonlySet<string>> {
  const payer = await store.read.ledger.getAccount({ id: request.payer })
  if (!payer) throw new Refusal('PAYER_ACCOUNT_NOT_FOUND')
  const key = readKey(payer.key)
  const keys = [key, ...(await handler.keys(request, store.read))]
  const signers = await signersOf(keys.flatMap(leavesOf), request.signed)
  if (!isSignedBy(key, signers)) throw new Refusal('INVALID_SIGNATURE')
  return signers
}

async function carryOut(handler: Handler, job: Job): Promise<Pick<Done, 'afterwards'>> {
  const { context, tx, request } = job
  const now = context.store.now()
  if (await isTaken(tx, request.transaction)) throw new Refusal('DUPLICATE_TRANSACTION')
  const { status, done } = await outcome(handler, job)
  const { afterwards, consensusAt = timeOfMs(now), ...made } = done
  const { validSeconds, hash } = request
  const kept = { status, consensusAt, name: handler.name, memo: request.body.memo, validSeconds, hash, ...made }
  await keepOutcome(tx, request.transaction, kept, now)
  return { afterwards }
}

/** A handler refuses before it writes, so that what it refuses is kept as a receipt and nothing else. */
async function outcome(handler: Handler, job: Job): Promise<{ readonly status: number; readonly done: Done }> {
  try {
    return { status: STATUS.SUCCESS, done: await handler.handle(job) }
  } catch (error) {
    if (error instanceof Refusal) return { status: error.code, done: {} }
    throw error
  }
}
