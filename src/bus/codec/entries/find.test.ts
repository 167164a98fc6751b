import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { draftOf, drafts, idOf } from '../../../../test/helpers/bus/drafts.ts'
import { formatNaively } from '../../../../test/helpers/bus/naive-codec.ts'
import { casesOf } from '../../../../test/helpers/property-cases.ts'
import { campaign } from '../../../../test/helpers/tier.ts'
import { formatEntry } from '../format.ts'
import { findEntry, idAt } from './find.ts'

const LIKE_A_HEADER = 'msg_id: MSG-forged\nts: 2026-02-05T12:34:56Z\ntype: USER\nproject_id: p\n'

/** A file, and where in it entries begin. */
function fileOf(entries: readonly Buffer[]): { bytes: Buffer; starts: number[] } {
  let at = 0
  const starts = entries.map((entry) => {
    at += entry.length
    return at - entry.length
  })
  return { bytes: Buffer.concat(entries), starts }
}

/** Every place from which one may look, and what must be found from there. */
function expectFound(entries: readonly Buffer[], ids: readonly string[]): void {
  const { bytes, starts } = fileOf(entries)
  for (let from = 0; from <= bytes.length; from++) {
    const wanted = starts.findIndex((start) => start >= from)
    const found = findEntry(bytes, from)
    expect(found, `from ${from}`).toBe(starts[wanted] ?? -1)
    if (found >= 0) expect(idAt(bytes, found)).toBe(ids[wanted])
  }
}

describe('an entry is found from the middle of a file', () => {
  it('whatever the bodies say', () => {
    const said = [
      'Said.',
      '---',
      LIKE_A_HEADER,
      `${LIKE_A_HEADER}---\n`,
      `body_bytes: 0\nsha256: ${'0'.repeat(64)}\n`,
      '',
    ]
    const ids = said.map((_, at) => idOf(at))
    expectFound(
      said.map((text, at) => formatEntry(draftOf(text, { msg_id: idOf(at) }))),
      ids,
    )
  })

  it('also where others wrote it', () => {
    const texts = ['Said.', 'Above.\n\n---\n\nBelow.', 'two\nlines\n']
    expectFound(
      texts.map((text, at) => formatNaively(draftOf(text, { msg_id: idOf(at) }))),
      texts.map((_, at) => idOf(at)),
    )
  })

  campaign('an entry is found from the middle of a file, whatever the entries are', casesOf(1_000), async (numRuns) => {
    fc.assert(
      fc.property(drafts, fc.nat(), (list, somewhere) => {
        const { bytes, starts } = fileOf(list.map(formatEntry))
        const from = somewhere % bytes.length
        const wanted = starts.findIndex((start) => start >= from)
        expect(findEntry(bytes, from)).toBe(starts[wanted] ?? -1)
        if (wanted >= 0) expect(idAt(bytes, starts[wanted] ?? 0)).toBe(list[wanted]?.msg_id)
      }),
      { numRuns },
    )
  })

  it('only where its whole header is there', () => {
    const entry = formatEntry(draftOf('Said.'))
    const end = entry.indexOf('\n---\n', 4) + 5
    for (let length = 0; length < end; length++) expect(findEntry(entry.subarray(0, length), 0)).toBe(-1)
    expect(findEntry(entry.subarray(0, end), 0)).toBe(0)
  })

  it('only at the beginning of a line', () => {
    const entry = formatEntry(draftOf('Said.'))
    expect(findEntry(Buffer.concat([Buffer.from('x'), entry]), 1)).toBe(-1)
    expect(findEntry(Buffer.concat([Buffer.from('\n'), entry]), 1)).toBe(1)
  })
})

describe('the id of an entry', () => {
  it.each([
    ['plain', '---\nmsg_id: MSG-1\n---\n', 'MSG-1'],
    ['quoted', '---\nts: x\n"msg_id": "MSG-1"\n---\n', 'MSG-1'],
    ['quoted otherwise', "---\r\nmsg_id: 'MSG-1'  \r\n---\r\n", 'MSG-1'],
    ['of a header that goes on', '---\nmsg_id: MSG-1\nts: 20', 'MSG-1'],
    ['absent', '---\nts: x\n---\nmsg_id: MSG-1\n', undefined],
    ['of something else', 'msg_id: MSG-1\n', undefined],
    ['of something within', '---\nparents:\n  - msg_id: MSG-1\n---\n', undefined],
  ])('is read where it is %s', (_, text, wanted) => {
    expect(idAt(Buffer.from(`xx\n${text}`), 3)).toBe(wanted)
  })

  it('is not read from a body', () => {
    const entry = formatEntry(draftOf(LIKE_A_HEADER))
    expect(idAt(entry, entry.indexOf('\n---\n', 4) + 1)).toBeUndefined()
  })
})
