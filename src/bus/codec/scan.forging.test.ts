import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Drafts, draftOf, drafts, idOf } from '../../../test/helpers/bus/drafts.ts'
import { formatNaively, NAIVE_READERS, readNaively } from '../../../test/helpers/bus/naive-codec.ts'
import { casesOf, PROPERTY_TIMEOUT_MS } from '../../../test/helpers/bus/runs.ts'
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
  it.each(Object.entries(READERS))(
    'for %s',
    (_, read) => {
      fc.assert(
        fc.property(drafts, (list) => isSafe(list, formatEntry, read)),
        casesOf(800),
      )
    },
    PROPERTY_TIMEOUT_MS,
  )

  it.each(Object.entries(READERS))(
    'and a writer that lets them is caught by %s',
    (_, read) => {
      const { failed } = fc.check(
        fc.property(drafts, (list) => isSafe(list, formatNaively, read)),
        casesOf(800),
      )
      expect(failed).toBe(true)
    },
    PROPERTY_TIMEOUT_MS,
  )

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
