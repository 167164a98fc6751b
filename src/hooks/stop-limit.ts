/** However patient a host is, the end of a turn is put off no more often than this in a row. */
const MAX_CONTINUATIONS = 5

/** How often a stop may be continued in a row, so that we give up before the host does: a host that gives up tells nobody. */
export function stopLimit(hostCap: number | null): number {
  return hostCap === null ? MAX_CONTINUATIONS : Math.max(0, Math.min(MAX_CONTINUATIONS, hostCap - 1))
}
