import { appendFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { startOf } from '../kit/pure/cut.ts'

/** One thing that went wrong in a hook, which must never disturb its host: `doctor` tells it. */
export interface HookFault {
  readonly at: string
  readonly host: string
  readonly event: string
  readonly fault: string
}

/** Beside the store; the launcher writes there too, in lines of its own. */
export const HOOK_LOG = 'hook-errors.log'

const MAX_BYTES = 64 * 1024
const FAULT_CHARACTERS = 300

/** Adds a fault to the log of a home. False if it cannot be written. */
export function appendFault(home: string, fault: HookFault): boolean {
  const path = join(home, HOOK_LOG)
  try {
    rotate(path)
    appendFileSync(path, `${formatFault(fault)}\n`, { mode: 0o600 })
    return true
  } catch {
    return false
  }
}

export function formatFault({ at, host, event, fault }: HookFault): string {
  return JSON.stringify({ at, host, event, fault: startOf(fault, FAULT_CHARACTERS) })
}

/** Keeps one earlier file of a log that has grown too large. */
export function rotate(path: string | undefined): void {
  if (path !== undefined && (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES)
    renameSync(path, `${path}.old`)
}
