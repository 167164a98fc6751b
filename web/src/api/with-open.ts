/**
 * What is open, all of it, and the latest of what has ended. A list of everything is cut at its end, so what has been open
 * for long is asked for apart.
 */
export function withOpen<T extends { readonly id: string }>(open: readonly T[], latest: readonly T[]): readonly T[] {
  const found = new Map([...open, ...latest].map((item) => [item.id, item]))
  // Ids are in the order of time.
  return [...found.values()].sort((one, other) => (one.id < other.id ? 1 : -1))
}
