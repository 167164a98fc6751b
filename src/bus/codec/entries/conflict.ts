const MARKERS = ['<<<<<<< ', '||||||| ', '>>>>>>> '] as const
const [OPENS, , CLOSES] = MARKERS
const PARTS = /={7}\r?(?:\n|$)/y

export function opensConflict(text: string, at: number): boolean {
  return text.startsWith(OPENS, at)
}

export function closesConflict(text: string, at: number): boolean {
  return text.startsWith(CLOSES, at)
}

/** What git leaves in a file where two have changed it. The line between both versions may also be a mere underline. */
export function isConflictMarker(text: string, at: number, isInConflict: boolean): boolean {
  PARTS.lastIndex = at
  return MARKERS.some((marker) => text.startsWith(marker, at)) || (isInConflict && PARTS.test(text))
}

/** Where a body ends that is followed by such lines. Those within it may well be what it speaks of. */
export function withoutMarkers(text: string, from: number, end: number, isInConflict: boolean): number {
  let to = end
  while (to > from) {
    const lineAt = Math.max(from, text.lastIndexOf('\n', to - 2) + 1)
    if (!isConflictMarker(text, lineAt, isInConflict)) break
    to = lineAt
  }
  return to
}
