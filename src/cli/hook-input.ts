import { read } from 'node:fs'

const MAX_INPUT_BYTES = 16 * 1024 * 1024
const INPUT_MS = 1_200
const CHUNK = 64 * 1024

/** Reads to the end, or for as long as there is time: a host that never closes its end is answered all the same. */
export function readInput(): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      resolve(Buffer.concat(chunks).toString('utf8'))
    }
    const timer = setTimeout(done, INPUT_MS)
    const next = () => {
      read(0, Buffer.allocUnsafe(CHUNK), 0, CHUNK, null, (error, count, buffer) => {
        if (error?.code === 'EAGAIN') return setTimeout(next, 5)
        if (error || count === 0) return done()
        chunks.push(buffer.subarray(0, count))
        bytes += count
        return bytes > MAX_INPUT_BYTES ? done() : next()
      })
    }
    next()
  })
}
