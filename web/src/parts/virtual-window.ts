/** Which rows of a long list are to be drawn, and where each stands. Heights are guessed until they were measured. */
export interface VirtualWindow {
  readonly totalHeight: number
  offsetOf(index: number): number
  heightOf(index: number): number
  /** The rows that touch the span from `top` to `bottom`, the last one excluded. */
  range(top: number, bottom: number): { readonly from: number; readonly to: number }
  /** Notes how high a row really is. Tells by how much everything below it moves. */
  measure(key: string, height: number): number
}

interface Rows {
  readonly keys: readonly string[]
  readonly estimate: (index: number) => number
  /** Heights that were measured, by the key of the row: they outlast changes of the list. */
  readonly measured: Map<string, number>
}

export function createWindow({ keys, estimate, measured }: Rows): VirtualWindow {
  const offsets = new Float64Array(keys.length + 1)
  const indexes = new Map(keys.map((key, index) => [key, index]))
  /** Offsets from this row on are out of date. */
  let dirtyFrom = 0

  const height = (index: number) => measured.get(keys[index] ?? '') ?? estimate(index)

  function settle(): void {
    for (let at = dirtyFrom; at < keys.length; at++) offsets[at + 1] = (offsets[at] ?? 0) + height(at)
    dirtyFrom = keys.length
  }

  /** The last row that begins at or above a place. */
  function rowAt(place: number): number {
    let [low, high] = [0, keys.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((offsets[middle] ?? 0) <= place) low = middle
      else high = middle - 1
    }
    return low
  }

  return {
    get totalHeight() {
      settle()
      return offsets[keys.length] ?? 0
    },
    offsetOf(index) {
      settle()
      return offsets[Math.min(Math.max(index, 0), keys.length)] ?? 0
    },
    heightOf: height,
    range(top, bottom) {
      settle()
      if (keys.length === 0) return { from: 0, to: 0 }
      return { from: rowAt(Math.max(0, top)), to: Math.min(keys.length, rowAt(Math.max(0, bottom)) + 1) }
    },
    measure(key, found) {
      const index = indexes.get(key)
      if (index === undefined) return 0
      const change = found - height(index)
      if (change === 0) return 0
      measured.set(key, found)
      dirtyFrom = Math.min(dirtyFrom, index)
      return change
    },
  }
}
