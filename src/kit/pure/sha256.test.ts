import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sha256OfFew } from './sha256.ts'

const known = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe('a checksum without a library', () => {
  it('is that of the standard', () => {
    expect(sha256OfFew(Buffer.from('abc'))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    expect(sha256OfFew(new Uint8Array())).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  })

  it('is that of the library, at every length around which blocks begin and end', () => {
    for (let length = 0; length <= 300; length++) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 167 + length) & 0xff)
      expect(sha256OfFew(bytes), String(length)).toBe(known(bytes))
    }
  })

  it('is that of the library for any bytes, wherever in a buffer they lie', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5_000 }), (bytes) => {
        expect(sha256OfFew(bytes.subarray(1))).toBe(known(bytes.subarray(1)))
      }),
    )
  })
})
