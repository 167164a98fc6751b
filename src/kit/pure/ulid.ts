const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const TIME_CHARACTERS = 10
const RANDOM_CHARACTERS = 16
/** Random bytes are asked for in batches of this many ids. */
const BATCH = 256

export interface UlidSource {
  readonly now: () => number
  /** Bytes that cannot be guessed. */
  readonly randomBytes: (length: number) => Uint8Array
}

/**
 * Makes ULIDs: ten characters of time, then 80 random bits. One id says nothing about another one. Ids of different
 * milliseconds sort by time, which keeps inserts near the end of every index; ids of the same millisecond have no order.
 */
export function createUlid({ now, randomBytes }: UlidSource): () => string {
  let bytes = new Uint8Array(0)
  let used = 0
  let time = Number.NaN
  let prefix = ''

  return () => {
    if (used === bytes.length) {
      bytes = new Uint8Array(randomBytes(BATCH * RANDOM_CHARACTERS))
      used = 0
    }
    const at = now()
    if (at !== time) {
      time = at
      prefix = encodeTime(at)
    }
    let text = prefix
    for (const end = used + RANDOM_CHARACTERS; used < end; used++) {
      text += ALPHABET[(bytes[used] ?? 0) % 32]
      bytes[used] = 0
    }
    return text
  }
}

/** The least ULID of a moment: every one made earlier sorts before it. */
export function ulidFloor(at: number): string {
  return encodeTime(Math.max(0, at))
}

function encodeTime(at: number): string {
  let text = ''
  let rest = at
  for (let i = 0; i < TIME_CHARACTERS; i++) {
    text = ALPHABET[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
}
