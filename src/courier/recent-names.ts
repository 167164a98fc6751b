/** A bounded set of names. When it is full, the oldest name is dropped. */
export interface RecentNames {
  readonly size: number
  has(name: string): boolean
  add(name: string): void
  clear(): void
}

export function createRecentNames(most: number): RecentNames {
  const names = new Set<string>()
  return {
    get size() {
      return names.size
    },
    has: (name) => names.has(name),
    add(name) {
      names.delete(name)
      names.add(name)
      if (names.size <= most) return
      for (const oldest of names) {
        names.delete(oldest)
        return
      }
    },
    clear: () => names.clear(),
  }
}
