import { readFileSync } from 'node:fs'
import { monotonicMs } from './monotonic.ts'

/** A process begins a little before Node can tell the time. */
const START_MS = 5

/** USER_HZ is 100 on every architecture that Node runs on. */
const TICK_MS = 10

/** Older than any hook: then the clocks of `/proc` do not belong together, as in some containers. */
const MAX_MS = 60_000

/**
 * Tells for how long this process has been there. A shell that became Node counts too: on a busy machine that can take a
 * while, which Node's own clock does not know. Looks once.
 */
export function processAgeMs(): () => number {
  const beforeNode = Math.max(START_MS, ageByKernel() - monotonicMs())
  return () => monotonicMs() + beforeNode
}

function ageByKernel(): number {
  if (process.platform !== 'linux') return 0
  try {
    const age = parseAge(readFileSync('/proc/self/stat', 'latin1'), readFileSync('/proc/uptime', 'latin1'))
    return age < MAX_MS ? age : 0
  } catch {
    return 0
  }
}

/** From `/proc/<pid>/stat` and `/proc/uptime`, which count in ticks: no longer than it was, and at most two ticks less. */
export function parseAge(stat: string, uptime: string): number {
  // The second field is the program's name, which may hold spaces; the start time is the 22nd.
  const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19])
  const age = Number(uptime.split(' ')[0]) * 1000 - (ticks + 1) * TICK_MS
  return Number.isFinite(age) ? Math.max(0, age) : 0
}
