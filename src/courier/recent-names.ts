/** Remembers the last names it was told; older ones are forgotten, so that it never grows beyond its bound. */
export interface Remembered {
  readonly size: number
  has(name: string): boolean
  add(name: string): void
  clear(): void
}

export function createRemembered(most: number): Remembered {
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
