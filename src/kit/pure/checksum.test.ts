import { describe, expect, it } from 'vitest'
import { checksumOf } from './checksum.ts'

describe('checksumOf', () => {
  it('agrees with MurmurHash3 on the words that it is given', () => {
    // Reference values of murmur3_32 over the little-endian words 1, 4, 0x00620061, 0x00640063 with seed 1.
    expect(checksumOf(['abcd'])).toBe(murmur3(1, [4, 0x00620061, 0x00640063]))
  })

  it('changes with every single character of a text', () => {
    const text = 'pay 100 to Ann'
    const right = checksumOf([text])
    for (let at = 0; at < text.length; at++) {
      for (const other of ['\0', 'x', '\u{ffff}']) {
        if (other !== text[at]) expect(checksumOf([text.slice(0, at) + other + text.slice(at + 1)])).not.toBe(right)
      }
    }
  })

  it.each([
    [
      ['a', 'bc'],
      ['ab', 'c'],
    ],
    [[null], ['']],
    [[''], ['', '']],
    [[0], ['0']],
    [[1], [1 + 2 ** 32]],
    [['a\0'], ['a']],
  ] as const)('differs for %j and %j', (one, other) => {
    expect(checksumOf(one)).not.toBe(checksumOf(other))
  })

  it('is a whole number of 32 bits', () => {
    for (let i = 0; i < 1_000; i++) {
      const sum = checksumOf(['x'.repeat(i), i, null])
      expect(Number.isInteger(sum) && sum >= 0 && sum < 2 ** 32).toBe(true)
    }
  })
})

/** MurmurHash3 x86_32 as its author wrote it, in big integers, but for the length that its last step mixes in. */
function murmur3(seed: number, words: readonly number[]): number {
  const mask = 0xffffffffn
  const rotate = (value: bigint, by: bigint) => ((value << by) | (value >> (32n - by))) & mask
  let hash = BigInt(seed)
  for (const word of words) {
    const block = (rotate((BigInt(word) * 0xcc9e2d51n) & mask, 15n) * 0x1b873593n) & mask
    hash = (rotate(hash ^ block, 13n) * 5n + 0xe6546b64n) & mask
  }
  hash = ((hash ^ (hash >> 16n)) * 0x85ebca6bn) & mask
  hash = ((hash ^ (hash >> 13n)) * 0xc2b2ae35n) & mask
  return Number(hash ^ (hash >> 16n))
}
