import { loadSystemCalls } from '../../kit/node/native/system-calls.ts'
import { isReadLeft, readAll } from '../../kit/node/read-all.ts'

const MAX_BYTES = 16 * 1024 * 1024
const TIMEOUT_MS = 900
const STDIN = 0

/** Reads stdin to its end, or until the timeout: a host that never closes its end is answered as well. */
export async function readInput(timeoutMs = TIMEOUT_MS): Promise<string> {
  return (await readAll(STDIN, { maxBytes: MAX_BYTES, timeoutMs })).toString('utf8')
}

/**
 * Ends the process at once, so that nothing under way keeps the host waiting. Only the listeners of `exit` run. Node's
 * own exit would tear down its environment and wait for a pending read of stdin. Without the addon such a read may be
 * pending; then the process replaces itself by a shell that exits at once.
 */
export function leave(code: number): never {
  const addon = loadSystemCalls()
  if (addon) process.on('exit', () => addon.exit(code))
  else if (isReadLeft() && process.execve) process.execve('/bin/sh', ['sh', '-c', `exit ${code}`], {})
  process.exit(code)
}
