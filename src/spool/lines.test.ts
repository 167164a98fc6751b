import { closeSync, fstatSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeTemporaryFolder, removeFolder, temporaryFolder } from '../../test/helpers/temp.ts'
import { type Bounds, readLines } from './lines.ts'

const BOUNDS: Bounds = { maxLines: 1_000, maxBytes: 1e9, maxLineBytes: 1_000_000 }

function read(path: string, text: string, bounds: Partial<Bounds> = {}) {
  writeFileSync(path, text)
  const fd = openSync(path, 'r')
  try {
    const { lines, end } = readLines(fd, fstatSync(fd).size, { ...BOUNDS, ...bounds })
    return { texts: lines.map(({ bytes }) => bytes?.toString()), lines, end }
  } finally {
    closeSync(fd)
  }
}
const readText = (text: string, bounds?: Partial<Bounds>) => read(join(temporaryFolder(), 'file'), text, bounds)

describe('the lines of a file', () => {
  it('are those that are not blank, with their places', () => {
    const { texts, lines, end } = readText('one\n\n \t\r\ntwo\r\n\n')
    expect(texts).toEqual(['one', 'two\r'])
    expect(lines.map(({ start, end: to }) => [start, to])).toEqual([
      [0, 3],
      [9, 13],
    ])
    expect(end).toBe(15)
  })

  it('end with what follows the last line break', () => {
    expect(readText('one\ntorn')).toMatchObject({ texts: ['one', 'torn'], end: 8 })
    expect(readText('')).toMatchObject({ texts: [], end: 0 })
    expect(readText('\n\n')).toMatchObject({ texts: [], end: 2 })
  })

  it('are no more than asked for, by number and by bytes', () => {
    expect(readText('one\ntwo\nthree\n', { maxLines: 2 })).toMatchObject({ texts: ['one', 'two'], end: 8 })
    expect(readText('one\ntwo\nthree\n', { maxBytes: 4 })).toMatchObject({ texts: ['one', 'two'], end: 8 })
    expect(readText('one\ntwo', { maxLines: 2 })).toMatchObject({ texts: ['one', 'two'], end: 7 })
  })

  it('are named but not read where they are too long', () => {
    const { texts, lines } = readText(`a\n${'x'.repeat(700_000)}\nb\n${'y'.repeat(11)}`, { maxLineBytes: 10 })
    expect(texts).toEqual(['a', undefined, 'b', undefined])
    expect(lines[1]).toMatchObject({ start: 2, end: 700_002 })
  })

  it('are found behind any number of line breaks', () => {
    for (const breaks of [4_095, 4_096, 1024 * 1024 + 1]) {
      const { lines, end } = readText(`first\n${'\n'.repeat(breaks)}last`)
      const start = 'first\n'.length + breaks
      expect(lines).toMatchObject([{ start: 0 }, { start, end: start + 4, bytes: Buffer.from('last') }])
      expect(end).toBe(start + 4)
    }
  })

  it('are the same whatever lies between the pieces in which they are read', () => {
    const folder = makeTemporaryFolder()
    const part = fc.oneof(fc.constant('\n'), fc.constant('é'), fc.stringMatching(/^[a-z ]{0,9}$/))
    const long = fc.integer({ min: 0, max: 3 }).map((n) => 'z'.repeat(n * 131_071))
    try {
      fc.assert(
        fc.property(fc.array(fc.oneof({ weight: 9, arbitrary: part }, { weight: 1, arbitrary: long })), (parts) => {
          const text = parts.join('')
          const wanted = text.split('\n').filter((line) => line.trim() !== '')
          // Several long parts may make a line that is longer than most are taken.
          expect(read(join(folder, 'file'), text, { maxLineBytes: 1e9 }).texts).toEqual(wanted)
        }),
        { numRuns: 50 },
      )
    } finally {
      removeFolder(folder)
    }
  })
})
