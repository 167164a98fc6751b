import { describe, expect, it } from 'vitest'
import { MAX_CHARACTERS, type Quoted, quotationInSlices, renderQuotation } from './quotation.ts'

const NONCE = 'abcdefghjkmn'

/** Entries that note how many characters of words are rendered, and that grow when they are. */
function watched(lengths: readonly number[], growth = 1): { readonly entries: Quoted[]; read: number } {
  const seen = { read: 0 }
  const entries = lengths.map((length, at) => ({
    length,
    render(characters = length) {
      seen.read += Math.min(length, characters)
      return `├─ ${at}\n│ ${'x'.repeat(growth * Math.min(length, characters))}`
    },
  }))
  return Object.assign(seen, { entries })
}

const numbersIn = (text: string) => [...text.matchAll(/^├─ (\d+)$/gm)].map(([, number]) => Number(number))

describe('a quotation', () => {
  it('renders no entry that cannot fit', () => {
    const all = watched(Array.from({ length: 1_000 }, () => 64 * 1024))
    const text = renderQuotation({ what: 'space s', entries: all.entries, nonce: NONCE })
    expect(numbersIn(text)).toEqual([999])
    expect(text).toContain('├─ 999 before them do not fit: ask for fewer')
    expect(all.read).toBe(64 * 1024)
  })

  it('stops at the first entry that turns out not to fit', () => {
    const all = watched([15_000, 15_000, 15_000, 15_000, 15_000], 3)
    expect(numbersIn(renderQuotation({ what: 'thread', entries: all.entries, nonce: NONCE }))).toEqual([4])
    expect(all.read).toBe(30_000)
  })

  it('cuts the last entry before it is rendered', () => {
    const all = watched([1, 256 * 1024])
    const text = renderQuotation({ what: 'bus p', entries: all.entries, nonce: NONCE })
    expect(all.read).toBe(MAX_CHARACTERS)
    expect(text).toContain('├  cut here: it is longer than a host takes')
    expect(text).toContain('├─ 1 before it does not fit: ask for fewer')
  })

  it('cuts the last entry where it grows while it is rendered', () => {
    const all = watched([30_000], 3)
    expect(renderQuotation({ what: 'bus p', entries: all.entries, nonce: NONCE })).toContain('├  cut here')
  })

  it('pauses after each entry', () => {
    const { entries } = watched([1, 2, 3])
    const slices = quotationInSlices({ what: 'thread', entries, nonce: NONCE })
    const pauses = Array.from({ length: 3 }, () => slices.next().done)
    expect(pauses).toEqual([false, false, false])
    expect(slices.next().done).toBe(true)
  })
})
