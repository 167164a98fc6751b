import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { appendFault, formatFault, HOOK_LOG, type HookFault, rotate } from './hook-fault.ts'
import { shadowCopiesOf } from './shadow-copies.ts'

/** What is said of a session that nobody is bound to. */
export const UNBOUND = 'the session is bound to no agent, so it is shown nothing'

/**
 * Keeps the last faults. While the home cannot be written they go to the folder of the shadow copies, which lies in memory.
 * It never throws: there is nobody to tell.
 */
export function noteFault(home: string, fault: HookFault): void {
  if (!appendFault(home, fault)) noteElsewhere(home, formatFault(fault))
}

function noteElsewhere(home: string, line: string): void {
  const copies = shadowCopiesOf(home)
  try {
    rotate(copies.find(HOOK_LOG))
    copies.append(HOOK_LOG, line)
  } catch {
    // Nor here.
  }
}

/** The logs that there are: the one in the home, and the one that stood in for it. */
export function findHookLogs(home: string): readonly string[] {
  const path = join(home, HOOK_LOG)
  const other = shadowCopiesOf(home).find(HOOK_LOG)
  return [...(existsSync(path) ? [path] : []), ...(other === undefined ? [] : [other])]
}

/** The last faults, newest last. Lines that are not ours are passed over. */
export function readFaults(home: string, limit: number): readonly HookFault[] {
  const faults = findHookLogs(home).flatMap((path) => readLines(path).slice(-limit).flatMap(parseFault))
  return faults.toSorted((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at))).slice(-limit)
}

function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n')
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
