const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const TIME_CHARACTERS = 10
const HALF_CHARACTERS = 8
const HALF = 2 ** 40

export interface UlidSource {
  readonly now: () => number
  /** A number in [0, 1). */
  readonly random: () => number
}

/**
 * Makes ULIDs that only ever grow: within one millisecond, or when the clock steps back, the random part counts up.
 * Ordered keys keep inserts at the end of every index.
 */
export function createUlid({ now, random }: UlidSource): () => string {
  let time = -1
  let prefix = ''
  let low = 0

  return () => {
    const current = now()
    if (current > time) begin(current)
    else if (++low >= HALF) begin(time + 1)
    return prefix + encode(low, HALF_CHARACTERS)
  }

  function begin(at: number): void {
    time = at
    prefix = encode(at, TIME_CHARACTERS) + encode(Math.floor(random() * HALF), HALF_CHARACTERS)
    // The upper half of the range stays free, so that a burst in one millisecond can count up.
    low = Math.floor((random() * HALF) / 2)
  }
}

/** The least ULID of a moment: every one made earlier sorts before it. */
export function ulidFloor(at: number): string {
  return encode(Math.max(0, at), TIME_CHARACTERS)
}

function encode(value: number, characters: number): string {
  let text = ''
  let rest = value
  for (let i = 0; i < characters; i++) {
    text = ALPHABET[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
}
