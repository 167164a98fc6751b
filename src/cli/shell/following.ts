import { sleep } from '../../kit/clock/sleep.ts'
import { writeWhole } from '../../kit/node/output.ts'
import { boundYoungHeap } from '../../kit/node/young-heap.ts'
import { createBackoff } from '../../kit/pure/backoff.ts'
import { asPosternError, PosternError } from '../../model/errors.ts'
import { showField } from '../../render/terminal.ts'
import type { Io } from './command.ts'

const STDOUT = 1
const MAX_LINE = 1_000

/** Whoever follows wants to be told when the server or the store is back, and misses nothing until then. */
export async function insist<T>(io: Pick<Io, 'stderr'>, call: () => Promise<T>): Promise<T> {
  const backoff = createBackoff({ minMs: 250, maxMs: 10_000, random: Math.random })
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await call()
    } catch (error) {
      const { retryable, message } = asPosternError(error)
      if (!retryable) throw error
      if (isFirst) io.stderr.line(`${showField(message, MAX_LINE)} Trying again.`)
      await sleep(backoff.next())
    }
  }
}

/** Whoever follows goes on for days: one busy minute must not leave it larger for all of them. */
export function stayLean(): void {
  boundYoungHeap(0)
}

/** False where nobody takes it any more. */
export async function printText(text: string): Promise<boolean> {
  try {
    await writeWhole(STDOUT, text, { pipeGraceMs: 0 })
    return true
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    if (code === 'EPIPE') return false
    throw new PosternError('OUTPUT_FAILED', { reason: code, next: 'Nothing was changed. Ask again.' }, { cause: error })
  }
}
