import { loadSystemCalls } from '../../kit/node/native/system-calls.ts'
import { isReadLeft, readAll } from '../../kit/node/read-all.ts'

const MAX_BYTES = 16 * 1024 * 1024
const TIMEOUT_MS = 900
const STDIN = 0

/** Reads to the end, or for as long as there is time: a host that never closes its end is answered all the same. */
export async function readInput(timeoutMs = TIMEOUT_MS): Promise<string> {
  return (await readAll(STDIN, { maxBytes: MAX_BYTES, timeoutMs })).toString('utf8')
}

/**
 * Ends the process, and nothing that is still under way may keep the host waiting: whoever listens for the end is told,
 * and that is all. Node itself would take apart what it has made, and wait for a read that nobody answers. Where there
 * is no addon such a read may be left, and then the process becomes another that ends at once.
 */
export function leave(code: number): never {
  const addon = loadSystemCalls()
  if (addon) process.on('exit', () => addon.exit(code))
  else if (isReadLeft() && process.execve) process.execve('/bin/sh', ['sh', '-c', `exit ${code}`], {})
  process.exit(code)
}
