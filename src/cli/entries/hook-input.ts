import { existsSync } from 'node:fs'
import { loadSystemCalls } from '../../kit/node/native/system-calls.ts'
import { readAll } from '../../kit/node/read-all.ts'

const MAX_BYTES = 16 * 1024 * 1024
const TIMEOUT_MS = 900
const STDIN = 0

/** Reads stdin to its end, or until the timeout: a host that never closes its end is answered as well. */
export async function readInput(timeoutMs = TIMEOUT_MS): Promise<string> {
  return (await readAll(STDIN, { maxBytes: MAX_BYTES, timeoutMs })).toString('utf8')
}

const SHELL = '/bin/sh'

/**
 * Ends the process at once, so that nothing under way keeps the host waiting. Only the listeners of `exit` run. Node's
 * own exit would wait for its threads: for a pending read of stdin, and at times for ever, because a thread that compiles
 * may wait for the main thread (nodejs/node#54918). Without the addon the process replaces itself by a shell that exits.
 */
export function leave(code: number): never {
  const addon = loadSystemCalls()
  if (addon) process.on('exit', () => addon.exit(code))
  else if (existsSync(SHELL)) process.on('exit', () => process.execve?.(SHELL, ['sh', '-c', `exit ${code}`], {}))
  process.exit(code)
}
