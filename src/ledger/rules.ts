import { PosternError } from '../model/errors.ts'
import { chunkCount, ENTRY_BYTES, MAX_CHUNKS } from '../model/ledger/entry.ts'
import { MEMO_BYTES } from '../model/ledger/topic.ts'

/** Returns the memo unchanged, or throws. */
export function requireMemo(memo: string): string {
  const bytes = Buffer.byteLength(memo)
  if (bytes > MEMO_BYTES) throw new PosternError('LEDGER_MEMO_INVALID', { memo, reason: `it has ${bytes} bytes` })
  if (memo.includes('\0')) throw new PosternError('LEDGER_MEMO_INVALID', { memo, reason: 'it has a zero byte' })
  return memo
}

/** A message as the parts that each are an entry; at least one. They are views of it. */
export function splitMessage(message: Uint8Array, mayChunk: boolean): Uint8Array[] {
  const bytes = message.byteLength
  const limit = mayChunk ? ENTRY_BYTES * MAX_CHUNKS : ENTRY_BYTES
  if (bytes > limit) throw new PosternError('LEDGER_MESSAGE_TOO_LARGE', { bytes, limit })
  return Array.from({ length: chunkCount(bytes) }, (_, at) =>
    message.subarray(at * ENTRY_BYTES, (at + 1) * ENTRY_BYTES),
  )
}
