import { createHash } from 'node:crypto'
import * as zlib from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ENTRY_BYTES } from '../../model/ledger/entry.ts'
import { decodeFile, encodeFile, FILE_BYTES } from './hcs1.ts'

const MIME = 'application/json'
/** Hardly compresses, and so needs many entries. */
const LARGE = Array.from({ length: 500 }, (_, index) => sha256Of(String(index))).join('')

describe('an HCS-1 file', () => {
  it('has the form of the standard', () => {
    const { memo, entries } = encodeFile({ mime: MIME, content: '{"a":1}' })
    expect(memo).toBe(`${sha256Of('{"a":1}')}:brotli:base64`)
    expect(entries).toHaveLength(1)
    const { o, c } = JSON.parse(entries[0]!)
    expect(o).toBe(0)
    expect(c).toMatch(/^data:application\/json;base64,/)
    const bytes = Buffer.from(c.slice('data:application/json;base64,'.length), 'base64')
    expect(zlib.brotliDecompressSync(bytes).toString()).toBe('{"a":1}')
  })

  it('reads back as it was written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 3000 }), (content) => {
        const file = { mime: 'text/plain;charset=utf-8', content }
        expect(decodeFile(encodeFile(file))).toEqual(file)
      }),
      { numRuns: 50 },
    )
    const marked = { mime: 'text/plain', content: '\ufeffmarked' }
    expect(decodeFile(encodeFile(marked))).toEqual(marked)
  })

  it('has entries that each fit on a topic, up to the largest file', () => {
    const largest = Array.from({ length: FILE_BYTES }, (_, index) => LARGE[(index * 7919) % LARGE.length]).join('')
    for (const content of [LARGE, largest]) {
      const { memo, entries } = encodeFile({ mime: MIME, content })
      expect(entries.length).toBeGreaterThan(10)
      for (const entry of entries) expect(Buffer.byteLength(entry)).toBeLessThanOrEqual(ENTRY_BYTES)
      expect(decodeFile({ memo, entries }).content).toBe(content)
    }
  })

  it('is put together by indices, in whatever order and however often its entries came', () => {
    const { memo, entries } = encodeFile({ mime: MIME, content: LARGE })
    const shuffled = fc.shuffledSubarray([...entries, ...entries], { minLength: entries.length * 2 })
    fc.assert(
      fc.property(shuffled, (mixed) => {
        expect(decodeFile({ memo, entries: mixed }).content).toBe(LARGE)
      }),
      { numRuns: 20 },
    )
  })

  it('is not taken for whole where any entry is missing', () => {
    const { memo, entries } = encodeFile({ mime: MIME, content: LARGE })
    for (const [index] of entries.entries())
      expectInvalid(() => decodeFile({ memo, entries: entries.toSpliced(index, 1) }))
    expectInvalid(() => decodeFile({ memo, entries: [] }))
  })

  it('is refused where its content is not what the memo says', () => {
    const { entries } = encodeFile({ mime: MIME, content: 'one' })
    const { memo } = encodeFile({ mime: MIME, content: 'other' })
    expectInvalid(() => decodeFile({ memo, entries }), 'another hash')
    expectInvalid(() => decodeFile({ memo: 'hcs-2:0:60', entries }), 'memo')
  })

  it('is refused where it says not what it is, or cannot be decompressed', () => {
    const memo = `${sha256Of('x')}:brotli:base64`
    expectInvalid(() => decodeFile({ memo, entries: [part(0, 'AAAA')] }), 'what the file is')
    expectInvalid(() => decodeFile({ memo, entries: [part(0, 'data:text/plain;base64,AAAA')] }), 'decompressed')
    expectInvalid(() => decodeFile({ memo, entries: ['{"o":0}'] }), 'no part')
    expectInvalid(() => decodeFile({ memo, entries: ['{"o":-1,"c":"x"}'] }))
    expectInvalid(() => decodeFile({ memo, entries: ['{"o":1e9,"c":"x"}'] }), 'larger')
    expectInvalid(() => decodeFile({ memo, entries: ['['.repeat(50_000)] }), 'no part')
    expectInvalid(() => encodeFile({ mime: 'text/plain;base64,x', content: '' }), 'media type')
  })

  it('is refused where its content is not text', () => {
    const bytes = Buffer.from([0xff, 0xfe, 0x00])
    const memo = `${createHash('sha256').update(bytes).digest('hex')}:brotli:base64`
    const data = zlib.brotliCompressSync(bytes).toString('base64')
    expectInvalid(() => decodeFile({ memo, entries: [part(0, `data:text/plain;base64,${data}`)] }), 'not text')
  })

  it('never unfolds into more than a file may be', () => {
    const bomb = Buffer.alloc(64 * 1024 * 1024)
    for (const [algorithm, packed] of [
      ['brotli', zlib.brotliCompressSync(bomb, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })],
      ['zstd', zlib.zstdCompressSync(bomb)],
    ] as const) {
      const memo = `${'00'.repeat(32)}:${algorithm}:base64`
      const whole = `data:text/plain;base64,${packed.toString('base64')}`
      const entries = Array.from({ length: Math.ceil(whole.length / 1000) }, (_, index) =>
        part(index, whole.slice(index * 1000, (index + 1) * 1000)),
      )
      expectInvalid(() => decodeFile({ memo, entries }), 'larger')
    }
    const content = 'x'.repeat(FILE_BYTES + 1)
    expect(() => encodeFile({ mime: MIME, content })).toThrow(
      expect.objectContaining({ code: 'LEDGER_MESSAGE_TOO_LARGE' }),
    )
  })

  it('of others may be compressed with zstd', () => {
    const data = zlib.zstdCompressSync(Buffer.from('hello')).toString('base64')
    const entries = [part(0, `data:text/plain;base64,${data}`)]
    expect(decodeFile({ memo: `${sha256Of('hello')}:zstd:base64`, entries })).toEqual({
      mime: 'text/plain',
      content: 'hello',
    })
  })
})

function part(o: number, c: string): string {
  return JSON.stringify({ o, c })
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function expectInvalid(call: () => unknown, reason = ''): void {
  expect(call).toThrow(
    expect.objectContaining({ code: 'LEDGER_ENTRY_INVALID', message: expect.stringContaining(reason) }),
  )
}
