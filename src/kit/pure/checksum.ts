/**
 * A 32-bit checksum of a row, to notice damage; it proves nothing against a person who can write the row. It is
 * MurmurHash3 over 16-bit characters, two at a time: a change within one such pair always changes the result, and any
 * other change does so except once in four billion times. Pure code, because a hook has no time to load a library.
 */
export function checksumOf(values: readonly (string | number | null)[]): number {
  let hash = values.length
  for (const value of values) {
    if (value === null) hash = mix(hash, NULL)
    else if (typeof value === 'number') hash = mix(mix(hash, value | 0), Math.floor(value / WORD) | 0)
    else hash = mixText(hash, value)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** No text has this length, so null differs from the empty text. */
const NULL = -1
const WORD = 2 ** 32

function mixText(seed: number, text: string): number {
  let hash = mix(seed, text.length)
  const even = text.length & ~1
  for (let at = 0; at < even; at += 2) hash = mix(hash, text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16))
  return even === text.length ? hash : mix(hash, text.charCodeAt(even))
}

function mix(hash: number, word: number): number {
  let block = Math.imul(word, 0xcc9e2d51)
  block = Math.imul((block << 15) | (block >>> 17), 0x1b873593)
  const mixed = hash ^ block
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0
}
