import { describe, expect, test } from 'vitest'
import type { Key } from '../protocol/basics.ts'
import { isSignedBy, isUsable, keepKey, leavesOf, NOBODY, nameOf, readKey } from './keys.ts'

const NONE: Key = { ed25519: undefined, secp256k1: undefined, keyList: undefined, thresholdKey: undefined }
const one = (fill: number): Key => ({ ...NONE, ed25519: new Uint8Array(32).fill(fill) })
const all = (...keys: Key[]): Key => ({ ...NONE, keyList: { keys } })
const some = (threshold: number, ...keys: Key[]): Key => ({ ...NONE, thresholdKey: { threshold, keys: { keys } } })
const signers = (...keys: Key[]) => new Set(keys.flatMap(leavesOf).map(nameOf))

describe('a key of the protocol', () => {
  test('is satisfied by its own signature alone', () => {
    expect(isSignedBy(one(1), signers(one(1)))).toBe(true)
    expect(isSignedBy(one(1), signers(one(2)))).toBe(false)
  })

  test('wants everybody of a list', () => {
    expect(isSignedBy(all(one(1), one(2)), signers(one(1), one(2)))).toBe(true)
    expect(isSignedBy(all(one(1), one(2)), signers(one(1)))).toBe(false)
  })

  test('wants as many as its threshold says, in lists within lists too', () => {
    const nested = some(2, one(1), all(one(2), one(3)), one(4))
    expect(isSignedBy(nested, signers(one(1), one(4)))).toBe(true)
    expect(isSignedBy(nested, signers(one(1), one(2), one(3)))).toBe(true)
    expect(isSignedBy(nested, signers(one(1), one(2)))).toBe(false)
  })

  test('that is an empty list is satisfied by nobody', () => {
    expect(isSignedBy(NOBODY, signers(one(1)))).toBe(false)
    expect(isSignedBy(some(0), signers(one(1)))).toBe(false)
    expect(isSignedBy(some(0, one(2)), signers(one(1)))).toBe(false)
  })

  test('of one kind is not satisfied by the same bytes of the other', () => {
    const bytes = new Uint8Array(33).fill(2)
    const [edwards, koblitz] = [
      { ...NONE, ed25519: bytes },
      { ...NONE, secp256k1: bytes },
    ]
    expect(isSignedBy(koblitz, signers(edwards))).toBe(false)
  })

  test.each([
    ['nothing', NONE, false],
    ['an empty list', NOBODY, false],
    ['a key of another length', { ...NONE, ed25519: new Uint8Array(31) }, false],
    ['a threshold that nobody reaches', some(3, one(1), one(2)), false],
    ['a threshold of none', some(0, one(1)), false],
    ['a list with a bad key in it', all(one(1), NONE), false],
    [
      'more keys than a transaction could be signed with',
      all(...Array.from({ length: 101 }, (_, at) => one(at))),
      false,
    ],
    ['a threshold', some(1, one(1), one(2)), true],
  ])('%s is of use: %s', (_what, key, expected) => {
    expect(isUsable(key as Key)).toBe(expected)
  })

  test('is the same after it was kept', () => {
    const key = some(1, one(1), all(one(2)))
    const kept = keepKey(key) ?? ''
    expect(isSignedBy(readKey(kept.slice('key:'.length)), signers(one(2)))).toBe(true)
  })
})
