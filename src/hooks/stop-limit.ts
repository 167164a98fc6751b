/** How often a stop may be continued in a row, so that we give up before the host does: a host that gives up tells nobody. */
export function stopLimit(ours: number, hostCap: number | null): number {
  return hostCap === null ? ours : Math.max(0, Math.min(ours, hostCap - 1))
}
