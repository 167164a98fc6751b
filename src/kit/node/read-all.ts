import { read, readSync } from 'node:fs'
import { loadSystemCalls, type SystemCalls } from './native/system-calls.ts'

const CHUNK = 64 * 1024

export interface ReadLimits {
  readonly maxBytes: number
  /** Who does not close its end is not waited for any longer. */
  readonly timeoutMs: number
}

/**
 * Reads a descriptor to its end, or for as long as there is time and room. With our addon this takes no thread: Node
 * would make four of them first, which takes longer than all else that a short command does. Without it a read may be
 * left behind that nobody answers, and Node waits for that before it exits.
 */
export function readAll(fd: number, limits: ReadLimits): Promise<Buffer> {
  const addon = loadSystemCalls()
  return addon ? Promise.resolve(readWhileReady(fd, limits, addon)) : readInThreads(fd, limits)
}

function readWhileReady(fd: number, { maxBytes, timeoutMs }: ReadLimits, { isReadable }: SystemCalls): Buffer {
  const deadline = process.uptime() * 1000 + timeoutMs
  const chunks: Buffer[] = []
  for (let bytes = 0; bytes <= maxBytes; ) {
    const left = Math.ceil(deadline - process.uptime() * 1000)
    if (left <= 0) break
    if (!isReadable(fd, left)) continue
    const chunk = Buffer.allocUnsafe(CHUNK)
    const count = readSome(fd, chunk)
    if (count === 0) break
    chunks.push(chunk.subarray(0, Math.max(0, count)))
    bytes += Math.max(0, count)
  }
  return Buffer.concat(chunks)
}

/** Zero at the end, or where there is nothing to be read at all; less where it must be tried again. */
function readSome(fd: number, chunk: Buffer): number {
  try {
    return readSync(fd, chunk)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? -1 : 0
  }
}

function readInThreads(fd: number, { maxBytes, timeoutMs }: ReadLimits): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      resolve(Buffer.concat(chunks))
    }
    const timer = setTimeout(done, timeoutMs)
    const next = () => {
      read(fd, Buffer.allocUnsafe(CHUNK), 0, CHUNK, null, (error, count, buffer) => {
        if (error?.code === 'EAGAIN') return setTimeout(next, 5)
        if (error || count === 0) return done()
        chunks.push(buffer.subarray(0, count))
        bytes += count
        return bytes > maxBytes ? done() : next()
      })
    }
    next()
  })
}
