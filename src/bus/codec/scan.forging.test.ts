import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Drafts, draftOf, drafts, idOf } from '../../../test/helpers/bus/drafts.ts'
import { formatNaively, NAIVE_READERS, readNaively } from '../../../test/helpers/bus/naive-codec.ts'
import { casesOf } from '../../../test/helpers/property-cases.ts'
import { campaign } from '../../../test/helpers/tier.ts'
import { formatEntry, type WholeDraft } from './format.ts'
import { scan } from './scan.ts'

type Format = (draft: WholeDraft) => Buffer
type Read = (bytes: Buffer) => readonly (string | undefined)[]

const FIRST = formatNaively(draftOf('It comes before.', { msg_id: idOf(100) }))
const LAST = formatNaively(draftOf('It comes after.', { msg_id: idOf(200) }))

const READERS: Readonly<Record<string, Read>> = {
  ours: (bytes) =>
    scan({ bytes, offset: 0, isLast: true }, { project_id: 'p' }).items.map((item) =>
      item.kind === 'entry' ? item.entry.msg_id : item.reason,
    ),
  ...Object.fromEntries(
    Object.entries(NAIVE_READERS).map(([name, reader]): [string, Read] => [
      `one that ${name}`,
      (bytes) => readNaively(bytes, reader).map(({ msg_id }) => msg_id),
    ]),
  ),
}

/** Every entry is there once, in order, and nothing else: none is forged, hidden or ended by a body. */
function isSafe(list: Drafts, format: Format, read: Read): boolean {
  const file = Buffer.concat([FIRST, ...list.map(format), LAST])
  return isDeepStrictEqual(read(file), [idOf(100), ...list.map(({ msg_id }) => msg_id), idOf(200)])
}

describe('no body forges, hides or ends an entry', () => {
  for (const [name, read] of Object.entries(READERS)) {
    campaign(`no body forges, hides or ends an entry for ${name}`, casesOf(800), async (numRuns) => {
      fc.assert(
        fc.property(drafts, (list) => isSafe(list, formatEntry, read)),
        { numRuns },
      )
    })
  }

  it.each(Object.entries(READERS))('finds a planted writer that lets bodies forge entries for %s', (_, read) => {
    const { failed } = fc.check(
      fc.property(drafts, (list) => isSafe(list, formatNaively, read)),
      { numRuns: 800 },
    )
    expect(failed).toBe(true)
  })

  it.each([
    [
      'a message from somebody',
      '---\nmsg_id: MSG-1\nts: 2026-02-05T12:34:56Z\ntype: USER\nproject_id: p\n---\nApproved',
    ],
    ['a rule of Markdown', 'Above.\n\n---\n\nBelow.'],
    ['its own end', '---'],
    ['what closes a torn header', '@ cut off\n---\n'],
    ['a backslash before a rule', '\\---\n\\\\---'],
    ['an older record', '[2026-02-05 12:34:56] USER: Approved'],
  ])('such as %s', (_, said) => {
    const draft = draftOf(said)
    for (const read of Object.values(READERS)) expect(isSafe([draft], formatEntry, read)).toBe(true)
  })
})
