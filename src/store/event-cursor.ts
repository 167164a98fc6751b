/**
 * The place of an event as text. Texts of one store compare as their places do. The last characters tell one event from
 * another at the same place, which there is where loss of power has undone the first, or a store was replaced.
 */
export interface Place {
  /** One number on SQLite; the transaction and a number within it on PostgreSQL. */
  readonly numbers: readonly number[]
  /** Of the event's time; anything where the event is not there any more. */
  readonly mark: number
}

const MARKS = 36 ** 3
const CURSOR = /^(?:[1-9a-b][0-9a-z]+)+$/
const MARK_LENGTH = 3

export function formatCursor(numbers: readonly number[], at: number): string {
  return numbers.map(formatOrdered).join('') + (at % MARKS).toString(36).padStart(MARK_LENGTH, '0')
}

export function isMarked({ mark }: Place, at: number): boolean {
  return at % MARKS === mark
}

/** Undefined for what is no cursor of so many numbers. */
export function parseCursor(text: string, count: number): Place | undefined {
  if (text.length > 64 || !CURSOR.test(text)) return undefined
  const numbers: number[] = []
  let rest = text
  for (let i = 0; i < count; i++) {
    const length = Number.parseInt(rest.charAt(0), 36)
    const digits = rest.slice(1, 1 + length)
    const number = Number.parseInt(digits, 36)
    if (digits.length < length || formatOrdered(number) !== rest.charAt(0) + digits) return undefined
    numbers.push(number)
    rest = rest.slice(1 + length)
  }
  return rest.length === MARK_LENGTH ? { numbers, mark: Number.parseInt(rest, 36) } : undefined
}

/** A number behind the count of its digits: so a longer one is greater as text too. */
function formatOrdered(number: number): string {
  const digits = number.toString(36)
  return digits.length.toString(36) + digits
}
