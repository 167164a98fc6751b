import { write } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { sleep } from '../../../kit/clock/sleep.ts'

/** Shows what a file holds while it grows, at the pace of whoever looks on. */
export interface Echo {
  /** There is so much of it by now. */
  show(size: number): void
  /** Resolves when all was shown, or nobody looks on any more. */
  end(): Promise<void>
}

const CHUNK = 64 * 1024
const FIRST_RETRY_MS = 1
const LAST_RETRY_MS = 50

/** Writes wait in a thread, so that signals are heard meanwhile however long the other end takes. */
export function createEcho(file: FileHandle, descriptor: number): Echo {
  const buffer = Buffer.allocUnsafe(CHUNK)
  let [shown, size] = [0, 0]
  let isGone = false
  let showing: Promise<void> | undefined

  async function catchUp(): Promise<void> {
    while (shown < size && !isGone) {
      const length = Math.min(CHUNK, size - shown)
      const count = await file.read(buffer, 0, length, shown).then(
        ({ bytesRead }) => bytesRead,
        () => 0,
      )
      // Somebody has cut the file, or it cannot be read: what comes later is shown again.
      if (count === 0) shown = size
      isGone = !(await writeAll(descriptor, buffer.subarray(0, count)))
      shown += count
    }
    showing = undefined
  }

  return {
    show(now) {
      size = now
      showing ??= catchUp()
    },
    end: async () => showing,
  }
}

/** False where nobody takes it any more: a closed pipe, a terminal that has gone, a full disk. */
async function writeAll(descriptor: number, bytes: Uint8Array): Promise<boolean> {
  let retryMs = FIRST_RETRY_MS
  for (let written = 0; written < bytes.length; ) {
    const { count, code } = await writeSome(descriptor, bytes.subarray(written))
    written += count
    if (code === undefined) retryMs = FIRST_RETRY_MS
    else if (code !== 'EAGAIN') return false
    else {
      await sleep(retryMs)
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
    }
  }
  return true
}

function writeSome(descriptor: number, bytes: Uint8Array): Promise<{ count: number; code: string | undefined }> {
  return new Promise((resolve) => {
    write(descriptor, bytes, (error, count) => resolve({ count: error ? 0 : count, code: error?.code }))
  })
}
