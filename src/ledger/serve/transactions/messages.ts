import { ENTRY_BYTES, type EntryChunk } from '../../../model/ledger/entry.ts'
import type { ChunkInfo } from '../../protocol/transactions.ts'
import { keyOf } from '../keys.ts'
import { Refusal, type Request, tryFormat } from '../precheck.ts'
import { type Handler, lockTopic, wantSignature } from './handler.ts'
import { findTopic } from './topics.ts'

/** Adds an entry, and lets this deployment act on it in the same transaction. */
export const submitMessage: Handler = {
  name: 'CONSENSUSSUBMITMESSAGE',
  isOf: ({ submitMessage }) => submitMessage !== undefined,

  check({ body: { submitMessage } }) {
    if (!submitMessage?.topic) throw new Refusal('INVALID_TOPIC_ID')
    if (submitMessage.message.length === 0) throw new Refusal('INVALID_TOPIC_MESSAGE')
  },

  async keys({ body: { submitMessage } }, shelves) {
    const topic = await findTopic(shelves, submitMessage?.topic)
    return [await keyOf(shelves, topic?.submitKey ?? null)]
  },

  async handle({ context, tx, request, signers }) {
    const { topic: id, message = new Uint8Array(), chunk } = request.body.submitMessage ?? {}
    if (message.length > ENTRY_BYTES) throw new Refusal('MESSAGE_SIZE_TOO_LARGE')
    const topic = await lockTopic(tx, id)
    const placed = chunkOf(request, chunk)
    await wantSignature({ tx, signers }, topic.submitKey)
    const added = { topicId: topic.id, payer: request.payer, message: Buffer.from(message).toString('base64') }
    const entry = await tx.ledger.addEntry({
      ...added,
      chunk: placed,
      transaction: null,
      isSigned: true,
      now: context.store.now(),
    })
    if (!entry) throw new Refusal('INVALID_TOPIC_ID')
    const { sequence, runningHash, consensusAt } = entry
    const afterwards = await context.onEntries(tx, { ...topic, sequence, runningHash, consensusAt }, [entry])
    return { topicId: topic.id, sequence, runningHash, consensusAt, afterwards }
  },
}

/** Chunks share the first one's transaction, which its payer has begun. */
function chunkOf({ transaction, payer }: Request, chunk: ChunkInfo | undefined): EntryChunk | null {
  if (!chunk) return null
  const { number, total } = chunk
  if (number < 1 || number > total) throw new Refusal('INVALID_CHUNK_NUMBER')
  const initial = tryFormat(chunk.initialTransaction)
  if (initial === undefined || initial.split('@')[0] !== payer) throw new Refusal('INVALID_CHUNK_TRANSACTION_ID')
  if (number === 1 && initial !== transaction) throw new Refusal('INVALID_CHUNK_TRANSACTION_ID')
  return { transaction: initial, number, total }
}
