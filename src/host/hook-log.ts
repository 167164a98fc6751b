import { appendFileSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** One thing that went wrong in a hook, which must never disturb its host: `doctor` tells it. */
export interface HookFault {
  readonly at: string
  readonly host: string
  readonly event: string
  readonly fault: string
}

/** Beside the store; the launcher writes there too, in lines of its own. */
export const HOOK_LOG = 'hook-errors.log'

/** What is said of a session that nobody is bound to. */
export const UNBOUND = 'the session is bound to no agent, so it is shown nothing'

const MAX_BYTES = 64 * 1024
const FAULT_CHARACTERS = 300

/** Keeps the last faults. It never throws: there is nobody to tell. */
export function noteFault(home: string, { at, host, event, fault }: HookFault): void {
  const path = join(home, HOOK_LOG)
  try {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) renameSync(path, `${path}.old`)
    const line = JSON.stringify({ at, host, event, fault: fault.slice(0, FAULT_CHARACTERS) })
    appendFileSync(path, `${line}\n`, { mode: 0o600 })
  } catch {
    // Nor here.
  }
}

/** The last faults, newest last. Lines that are not ours are passed over. */
export function readFaults(home: string, limit: number): readonly HookFault[] {
  try {
    return readFileSync(join(home, HOOK_LOG), 'utf8').trimEnd().split('\n').slice(-limit).flatMap(parseFault)
  } catch {
    return []
  }
}

/** `2026-11-16T03:48:12Z launcher: what was wrong`. */
const LAUNCHER_LINE = /^(\S+) launcher: (.*)$/

function parseFault(line: string): HookFault[] {
  if (!line.startsWith('{')) {
    const [, at = '', fault = ''] = LAUNCHER_LINE.exec(line) ?? []
    return fault === '' ? [] : [{ at, host: '', event: 'launcher', fault }]
  }
  try {
    const { at, host, event, fault } = JSON.parse(line)
    return [{ at: String(at), host: String(host), event: String(event), fault: String(fault) }]
  } catch {
    return []
  }
}
