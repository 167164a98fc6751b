const MAX_DISTANCE = 3

/** The word that was probably meant, if one is close enough. */
export function nearest(typed: string, words: readonly string[]): string | undefined {
  let best: string | undefined
  let least = Math.min(MAX_DISTANCE, Math.ceil(typed.length / 2)) + 1
  for (const word of words) {
    const distance = editDistance(typed.slice(0, 60), word)
    if (distance < least) {
      least = distance
      best = word
    }
  }
  return best
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
