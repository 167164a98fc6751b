import { MAX_CONTINUED_STOPS } from '../model/session.ts'
import type { Host } from './hosts/host.ts'

/** How often a stop may be continued in a row, so that we give up before the host does: a host that gives up tells nobody. */
export function stopLimit(hostCap: number | null): number {
  return hostCap === null ? MAX_CONTINUED_STOPS : Math.max(0, Math.min(MAX_CONTINUED_STOPS, hostCap - 1))
}

/** The cap that holds for a user who has set the host's variable to `value`; null where there is none. */
export function parseStopCap(host: Host, value: string | undefined): number | null {
  if (value === undefined || !/^\d{1,9}$/.test(value)) return host.stopCap
  const cap = Number(value)
  return cap === 0 ? null : cap
}
