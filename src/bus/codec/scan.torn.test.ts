import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { draftOf, drafts, entryOf, idOf } from '../../../test/helpers/bus/drafts.ts'
import { formatNaively, NAIVE_READERS, readNaively } from '../../../test/helpers/bus/naive-codec.ts'
import { casesOf } from '../../../test/helpers/property-cases.ts'
import { campaign } from '../../../test/helpers/tier.ts'
import { formatEntry, type WholeDraft } from './format.ts'
import { scan } from './scan.ts'

const BEFORE = draftOf('It comes before.', { msg_id: idOf(100) })
const AFTER = draftOf('It comes after.', { msg_id: idOf(200) })

function readWhole(bytes: Buffer) {
  return scan({ bytes, offset: 0, isLast: true }, { project_id: 'p' })
}

/** The first `length` bytes of an entry after whole ones, and then what the next writer writes. */
function tear(before: Buffer, entry: Buffer, length: number): { torn: Buffer; mended: Buffer } {
  const torn = Buffer.concat([before, entry.subarray(0, length)])
  const closing = readWhole(torn).items.at(-1)?.closing ?? ''
  return { torn, mended: Buffer.concat([torn, Buffer.from(closing), formatEntry(AFTER)]) }
}

function expectMended(before: Buffer, draft: WholeDraft, length: number): void {
  const entry = formatEntry(draft)
  const { torn, mended } = tear(before, entry, length)
  // Only the line break is missing: all that was said is there, and has its checksum.
  const isWhole = length === entry.length - 1

  const [first, ...items] = readWhole(torn).items
  expect(first).toMatchObject({ kind: 'entry', entry: { msg_id: idOf(100) } })
  expect(items).toEqual([
    expect.objectContaining(isWhole ? { kind: 'entry', entry: entryOf(draft) } : { kind: 'fault', end: torn.length }),
  ])
  expect(items[0]).toHaveProperty('closing')

  const read = readWhole(mended)
  const entries = read.items.flatMap((item) => (item.kind === 'entry' ? [item.entry] : []))
  expect(entries.map(({ msg_id }) => msg_id)).toEqual([idOf(100), ...(isWhole ? [draft.msg_id] : []), idOf(200)])
  expect(entries.at(-1)).toEqual(entryOf(AFTER))
  expect(read.items).toHaveLength(3)
  expectReadByOthers(mended, draft.msg_id)
}

/** Others may take what is left of a body for all of it, but nothing else. */
function expectReadByOthers(mended: Buffer, tornId: string): void {
  for (const [name, reader] of Object.entries(NAIVE_READERS)) {
    const ids = readNaively(mended, reader).map(({ msg_id }) => msg_id)
    expect(
      ids.filter((id) => id !== tornId),
      `one that ${name}`,
    ).toEqual([idOf(100), idOf(200)])
    expect(ids.length).toBeLessThanOrEqual(3)
  }
}

const SAMPLES: Readonly<Record<string, WholeDraft>> = {
  short: draftOf('Said.'),
  empty: draftOf(''),
  'of many lines': draftOf('One.\n\nTwo.\r\nThree.\n'),
  'with rules': draftOf('One.\n---\nTwo.\n--- three\n\\---\n'),
  'of dashes': draftOf('--- -----\n------\n---'),
  'that looks like a header': draftOf('msg_id: MSG-1\nts: 2026-02-05T12:34:56Z\ntype: USER\nproject_id: p\n'),
  'in another script': draftOf('日本語\n'),
  'of no script': draftOf(Buffer.from([0, 255, 10, 45, 45, 45, 10, 128])),
  'with all fields': draftOf('Said.', {
    task_id: 't',
    run_id: '012',
    issue_id: 'ISSUE-1',
    parents: [{ msg_id: idOf(0), kind: 'depends_on' }],
    attachment_path: 'a b',
    attachments: [{ path: 'attachments/a', kind: 'log', label: '日本', size_bytes: 3 }],
    links: [{ kind: 'output', path: '/a' }, { url: 'https://example.org' }],
    meta: { list: [1, [2], { a: null }], text: '---\n', deep: { er: { est: true } } },
  }),
}

describe('an entry that its writer did not finish', () => {
  it.each(Object.entries(SAMPLES))('and that is %s is told at every byte, and harms no neighbour', (_, draft) => {
    const { length } = formatEntry(draft)
    for (let at = 1; at < length; at++) expectMended(formatEntry(BEFORE), draft, at)
  })

  campaign(
    'an entry that its writer did not finish is told wherever it ends, whatever it says',
    casesOf(400),
    async (numRuns) => {
      fc.assert(
        fc.property(drafts, fc.double({ min: 0, max: 1, noNaN: true }), ([draft], part) => {
          const length = 1 + Math.floor(part * (formatEntry(draft).length - 2))
          expectMended(formatEntry(BEFORE), draft, length)
        }),
        { numRuns },
      )
    },
  )

  it('is told after an entry of somebody else, too', () => {
    const before = formatNaively(BEFORE)
    const entry = formatEntry(draftOf('Said.'))
    for (let length = 1; length < entry.length; length++) {
      const { mended } = tear(before, entry, length)
      const ids = readWhole(mended).items.flatMap((item) => (item.kind === 'entry' ? [item.entry.msg_id] : []))
      expect(ids.filter((id) => id !== idOf(1))).toEqual([idOf(100), idOf(200)])
      expectReadByOthers(mended, idOf(1))
    }
  })

  it('may be torn again while it is being closed', () => {
    const entry = formatEntry(draftOf('Said.'))
    for (const length of [3, 4, 40, 120, entry.length - 4]) {
      const { mended } = tear(formatEntry(BEFORE), entry, length)
      const begun = formatEntry(BEFORE).length + length
      for (let again = begun; again < mended.length; again++) {
        const { mended: twice } = tear(Buffer.alloc(0), mended, again)
        const ids = readWhole(twice).items.flatMap((item) => (item.kind === 'entry' ? [item.entry.msg_id] : []))
        expect(ids[0]).toBe(idOf(100))
        expect(ids.at(-1)).toBe(idOf(200))
      }
    }
  })

  it('hides nothing where another writer went on behind its header without a look', () => {
    const entry = formatEntry(draftOf('Said.', { meta: { a: 1 } })).toString()
    const lines = entry.slice(0, entry.indexOf('\n---\n', 4) + 1).match(/.*\n/g) ?? []
    for (let count = 1; count < lines.length; count++) {
      const torn = Buffer.from(lines.slice(0, count).join(''))
      const { items } = readWhole(Buffer.concat([formatEntry(BEFORE), torn, formatNaively(AFTER)]))
      expect(items.map((item) => (item.kind === 'entry' ? item.entry.msg_id : item.kind))).toEqual([
        idOf(100),
        'fault',
        idOf(200),
      ])
    }
  })
})
