import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Drafts, draftOf, drafts, entryOf, text } from '../../../test/helpers/bus/drafts.ts'
import { casesOf } from '../../../test/helpers/property-cases.ts'
import { campaign } from '../../../test/helpers/tier.ts'
import { BUS_LIMITS } from '../../model/bus/entry.ts'
import { PosternError } from '../../model/errors.ts'
import { formatDraft, formatEntry, type WholeDraft } from './format.ts'
import { createPatience, readStrictHeader } from './header/strict-yaml.ts'
import { UsualYaml } from './header/usual-yaml.ts'
import { HEADER_CHECKSUM_BYTES } from './header-checksum.ts'
import { scan } from './scan.ts'
import type { Scanned } from './scanned.ts'

const PLACE = { project_id: 'p' }

function readWhole(bytes: Buffer): readonly Scanned[] {
  return scan({ bytes, offset: 0, isLast: true }, PLACE).items
}

function entriesOf(items: readonly Scanned[]) {
  return items.map((item) => (item.kind === 'entry' ? item.entry : item))
}

function fileOf(list: Drafts): Buffer {
  return Buffer.concat(list.map(formatEntry))
}

/** Reads on as a reader of files does, in pieces of these lengths, each larger until it yields something. */
function readInPieces(bytes: Buffer, lengths: readonly number[]): Scanned[] {
  const items: Scanned[] = []
  let at = 0
  for (let turn = 0; at < bytes.length; turn++) {
    for (let length = lengths[turn % lengths.length] ?? 1; ; length *= 2) {
      const end = Math.min(bytes.length, at + length)
      const found = scan({ bytes: bytes.subarray(at, end), offset: at, isLast: end === bytes.length }, PLACE)
      items.push(...found.items)
      if (found.next === at) continue
      at = found.next
      break
    }
  }
  return items
}

function headerOf(entry: Buffer): { readonly bytes: Buffer; readonly text: string } {
  const written = entry.toString('latin1')
  const end = written.indexOf('\n---\n', 3) + 1
  return { bytes: entry.subarray(4, end), text: written.slice(4, end) }
}

describe('what is written', () => {
  campaign('an entry that is written reads back as it was said, whatever it is', casesOf(8_000), async (numRuns) => {
    let entries = 0
    fc.assert(
      fc.property(drafts, (list) => {
        entries += list.length
        return isDeepStrictEqual(entriesOf(readWhole(fileOf(list))), list.map(entryOf))
      }),
      { numRuns },
    )
    expect(entries).toBeGreaterThan(2 * numRuns)
  })

  campaign('a file that is written reads the same in pieces of any size', casesOf(500), async (numRuns) => {
    const lengths = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(drafts, lengths, (list, sizes) => {
        const file = fileOf(list)
        return isDeepStrictEqual(readInPieces(file, sizes), readWhole(file))
      }),
      { numRuns },
    )
  })

  campaign(
    'a header that is written is read without the parser of YAML, which reads the same',
    casesOf(700),
    async (numRuns) => {
      fc.assert(
        fc.property(drafts, ([draft]) => {
          const header = headerOf(formatEntry(draft))
          const usual = new UsualYaml(header.bytes, header.text).read(0, header.text.length)
          return usual !== undefined && isDeepStrictEqual(usual, readStrictHeader(header.bytes, createPatience()))
        }),
        { numRuns },
      )
    },
  )
})

describe('a header', () => {
  const long = (characters: number) => draftOf('said', { meta: { long: 'x'.repeat(characters) } })
  const sizeOf = (draft: WholeDraft) => headerOf(formatEntry(draft)).bytes.length

  it('is taken up to its limit, and not a byte more', () => {
    const room = BUS_LIMITS.headerBytes - sizeOf(long(0))
    // An empty text is quoted, and one that is not needs no quotes.
    const fullest = long(room + 2)
    expect(sizeOf(fullest)).toBe(BUS_LIMITS.headerBytes)
    expect(entriesOf(readWhole(formatEntry(fullest)))).toEqual([entryOf(fullest)])
    expect(() => formatEntry(long(room + 3))).toThrow(
      expect.objectContaining({ code: 'BUS_ENTRY_INVALID', message: expect.stringContaining('16385 bytes') }),
    )
  })

  it('that is formatted before its stamp is known leaves room for the longest one', () => {
    const { header } = formatDraft(long(1))
    const stamp = 'msg_id: MSG-20000101-000000-000000000-PID9999999999-9999999999\nts: 2000-01-01T00:00:00Z\n'
    const stampBytes = stamp.length + HEADER_CHECKSUM_BYTES
    const room = BUS_LIMITS.headerBytes - stampBytes - header.length
    expect(formatDraft(long(room + 1)).header).toHaveLength(BUS_LIMITS.headerBytes - stampBytes)
    expect(() => formatDraft(long(room + 2))).toThrow(expect.objectContaining({ code: 'BUS_ENTRY_INVALID' }))
  })

  campaign('a header of any length is taken and reads back, or is refused', casesOf(300), async (numRuns) => {
    const large = fc
      .tuple(fc.array(text, { minLength: 1 }), fc.integer({ min: 1, max: 2_000 }))
      .map(([texts, times]) => ({ list: Array.from({ length: times }, (_, at) => texts[at % texts.length] ?? '') }))
    let refused = 0
    fc.assert(
      fc.property(large, (meta) => {
        try {
          const draft = draftOf('said', { meta })
          return isDeepStrictEqual(entriesOf(readWhole(formatEntry(draft))), [entryOf(draft)])
        } catch (error) {
          refused++
          return error instanceof PosternError && error.code === 'BUS_ENTRY_INVALID'
        }
      }),
      { numRuns },
    )
    expect(refused).toBeGreaterThan(0)
    expect(refused).toBeLessThan(numRuns)
  })
})
