import { describe, expect, it } from 'vitest'
import { ENTRY_BYTES, MAX_CHUNKS } from '../model/ledger/entry.ts'
import { requireMemo, splitMessage } from './rules.ts'

describe('requireMemo', () => {
  it('counts bytes, not letters', () => {
    expect(requireMemo('é'.repeat(50))).toBe('é'.repeat(50))
    expect(() => requireMemo('é'.repeat(51))).toThrow(
      expect.objectContaining({
        code: 'LEDGER_MEMO_INVALID',
        details: expect.objectContaining({ reason: 'it has 102 bytes' }),
      }),
    )
  })

  it('refuses a zero byte', () => {
    expect(() => requireMemo('a\0b')).toThrow(
      expect.objectContaining({
        code: 'LEDGER_MEMO_INVALID',
        details: expect.objectContaining({ reason: 'it has a zero byte' }),
      }),
    )
  })
})

describe('splitMessage', () => {
  it.each([
    [0, [0]],
    [1, [1]],
    [ENTRY_BYTES, [ENTRY_BYTES]],
    [ENTRY_BYTES + 1, [ENTRY_BYTES, 1]],
    [ENTRY_BYTES * 2, [ENTRY_BYTES, ENTRY_BYTES]],
  ])('makes entries of %i bytes', (bytes, lengths) => {
    const message = Uint8Array.from({ length: bytes }, (_, at) => at % 251)
    const parts = splitMessage(message, true)
    expect(parts.map(({ length }) => length)).toEqual(lengths)
    expect(Buffer.concat(parts).equals(message)).toBe(true)
  })

  it.each([
    [false, ENTRY_BYTES, 1],
    [true, ENTRY_BYTES * MAX_CHUNKS, MAX_CHUNKS],
  ])('has a limit; may be chunked: %s', (mayChunk, limit, count) => {
    expect(splitMessage(new Uint8Array(limit), mayChunk)).toHaveLength(count)
    expect(() => splitMessage(new Uint8Array(limit + 1), mayChunk)).toThrow(
      expect.objectContaining({ code: 'LEDGER_MESSAGE_TOO_LARGE', details: { bytes: limit + 1, limit } }),
    )
  })
})
