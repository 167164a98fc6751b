/** One line of a change: kept, taken out or put in. */
export interface DiffLine {
  readonly sign: ' ' | '-' | '+'
  readonly text: string
}

const CONTEXT = 2
/** Above so many comparisons the lines between the first and the last change are shown as all replaced. */
const MOST_COMPARISONS = 4_000_000

/** What changed between two texts, by lines, with a little of what stands around. `null` in between is a gap. */
export function diffLines(before: string, after: string): readonly (DiffLine | null)[] {
  const old = linesOf(before)
  const now = linesOf(after)
  let head = 0
  while (head < Math.min(old.length, now.length) && old[head] === now[head]) head++
  let tail = 0
  while (tail < Math.min(old.length, now.length) - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++

  const kept = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ sign: ' ', text }))
  return withGaps([
    ...kept(old.slice(0, head)),
    ...compare(old.slice(head, old.length - tail), now.slice(head, now.length - tail)),
    ...kept(old.slice(old.length - tail)),
  ])
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

function compare(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  const taken = (text: string): DiffLine => ({ sign: '-', text })
  const put = (text: string): DiffLine => ({ sign: '+', text })
  if (old.length * now.length > MOST_COMPARISONS) return [...old.map(taken), ...now.map(put)]
  const common = commonLengths(old, now)
  const lines: DiffLine[] = []
  let i = 0
  let j = 0
  while (i < old.length && j < now.length) {
    const text = old[i] as string
    if (text === now[j]) {
      lines.push({ sign: ' ', text })
      i++
      j++
    } else if ((common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0)) {
      lines.push(taken(text))
      i++
    } else {
      lines.push(put(now[j++] as string))
    }
  }
  return [...lines, ...old.slice(i).map(taken), ...now.slice(j).map(put)]
}

/** How many lines the two have in common from each pair of places on. */
function commonLengths(old: readonly string[], now: readonly string[]): readonly Uint32Array[] {
  const rows = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1))
  for (let i = old.length - 1; i >= 0; i--) {
    const row = rows[i] as Uint32Array
    const below = rows[i + 1] as Uint32Array
    for (let j = now.length - 1; j >= 0; j--) {
      row[j] = old[i] === now[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0)
    }
  }
  return rows
}

/** Leaves out what is far from any change. */
function withGaps(lines: readonly DiffLine[]): readonly (DiffLine | null)[] {
  const isNear = lines.map((_, at) => lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(isChange))
  return lines.flatMap((line, at) => {
    if (isNear[at]) return [line]
    return isNear[at - 1] || (at === 0 && isNear.some(Boolean)) ? [null] : []
  })
}

function isChange({ sign }: DiffLine): boolean {
  return sign !== ' '
}
