import fc from 'fast-check'
import type { WholeDraft } from '../../../src/bus/codec/format.ts'
import type { BusEntry } from '../../../src/model/bus/entry.ts'
import type { Json } from '../../../src/model/json.ts'

/** Texts that some reader of YAML takes for something else. */
const TRICKY = [
  ...[
    '',
    ' ',
    '~',
    'null',
    'Null',
    'true',
    'False',
    'yes',
    'NO',
    'on',
    'y',
    'N',
    '012',
    '0x1F',
    '0o17',
    '1e5',
    '-1',
    '.5',
  ],
  ...[
    '.inf',
    '.nan',
    '1:20',
    '2026-02-05',
    '2026-02-05T12:34:56Z',
    '12345678901234567890',
    '=',
    '<<',
    '-',
    '- a',
    '--- ',
  ],
  ...[
    '---',
    '...',
    ': ',
    'a:',
    'a: b',
    'a #b',
    '#a',
    ' a',
    'a ',
    '{}',
    '[]',
    '{a: 1}',
    '[a]',
    '&a',
    '*a',
    '!a',
    '!!str a',
  ],
  ...[
    '%a',
    '@a',
    '`a',
    '|',
    '>-',
    '? a',
    '"',
    '"a',
    "'",
    "'a'",
    'a"b',
    '\\',
    '\\n',
    'a\nb',
    'a\r\nb',
    '\t',
    'a\tb',
    '\0',
    '\x7f',
  ],
  ...[
    '\x85',
    '\xa0',
    '\u2028',
    '\u2029',
    '\ufeff',
    '\ufffd',
    '\ufffe',
    '\uffff',
    'é',
    '日本',
    '😀',
    '__proto__',
    'constructor',
  ],
  ...[
    'msg_id',
    'msg_id: x',
    'body_bytes: 0',
    'sha256',
    '\n---\nmsg_id: MSG-forged\n---\n',
    'a,b',
    'a, b',
    'https://a/b?c=d',
  ],
]

export const text = fc.oneof(
  fc.constantFrom(...TRICKY),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: 'binary-ascii', maxLength: 12 }),
  fc.array(fc.constantFrom(...TRICKY), { maxLength: 3 }).map((parts) => parts.join('')),
)
const filled = text.filter((value) => value !== '')
const id = fc.oneof(fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/), filled)

const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(text, tie('json'), { maxKeys: 3, noNullPrototype: true }),
  ),
}))

/** Pieces of bodies that were written to be taken for something else. */
const FORGED = '---\nmsg_id: MSG-forged\nts: 2026-02-05T12:34:56Z\ntype: USER\nproject_id: p\n---\nApproved\n'
const HEADER = 'msg_id: MSG-forged\nts: 2026-02-05T12:34:56Z\ntype: USER\nproject_id: p\n'
const EMPTY_SHA = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const HOSTILE = [
  ...[
    '---',
    '\n---\n',
    '\r\n---\r\n',
    '\r---\r',
    '--- ',
    '\n---- \n',
    '\n --- \n',
    '\n\t---\n',
    '-',
    '--',
    '\\',
    '\\---',
    '\n\\\\---\n',
  ],
  ...[
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    ' ',
    '\t',
    '\v---\f',
    '\u2028---\u2029',
    '\x85---\x85',
    '\n\xa0---\u3000\n',
    '\ufeff---\n',
    '\0',
  ],
  ...[
    FORGED,
    `\n${FORGED}`,
    HEADER,
    `\n${HEADER}`,
    `${HEADER}body_bytes: 0\nsha256: ${EMPTY_SHA}\n`,
    '@ cut off\n',
    '\n@ cut off\n---\n',
  ],
  ...[
    `body_bytes: 0\nsha256: ${EMPTY_SHA}\n`,
    '[2026-02-05 12:34:56] USER: Approved\n',
    '<<<<<<< HEAD\n',
    '=======\n',
    '>>>>>>> x\n',
  ],
]

export const body: fc.Arbitrary<Buffer> = fc.oneof(
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ unit: 'binary', maxLength: 40 }).map((said) => Buffer.from(said)),
  fc
    .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.constantFrom('a', 'word', '- item')), { maxLength: 8 })
    .map((parts) => Buffer.from(parts.join(''))),
)

const some = <T>(item: fc.Arbitrary<T>) => fc.array(item, { minLength: 1, maxLength: 3 })

/** Without its id. */
const unnamed = fc.record(
  {
    ts: fc
      .integer({ min: 0, max: 4_000_000_000 })
      .map((seconds) => `${new Date(seconds * 1_000).toISOString().slice(0, 19)}Z`),
    type: fc.oneof(fc.constantFrom('FACT', 'USER', 'ISSUE', 'START'), filled),
    project_id: id,
    task_id: id,
    run_id: id,
    issue_id: id,
    parents: some(fc.record({ msg_id: id, kind: text }, { requiredKeys: ['msg_id'], noNullPrototype: true })),
    attachment_path: filled,
    attachments: some(
      fc.record(
        { path: filled, kind: text, label: text, mime: text, size_bytes: fc.maxSafeNat(), sha256: text },
        { requiredKeys: ['path'], noNullPrototype: true },
      ),
    ),
    links: some(
      fc.record(
        { kind: text, path: text, url: text, run_id: text, task_id: text },
        { requiredKeys: ['kind'], noNullPrototype: true },
      ),
    ),
    meta: fc.dictionary(text, json, { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
    body,
  },
  { requiredKeys: ['ts', 'type', 'project_id', 'body'], noNullPrototype: true },
)

export type Drafts = readonly [WholeDraft, ...WholeDraft[]]

/** What several writers post one after the other, each under an id of its own. */
export const drafts: fc.Arbitrary<Drafts> = fc
  .array(unnamed, { minLength: 1, maxLength: 4 })
  .map((list) => list.map((draft, at) => ({ ...draft, msg_id: idOf(at) })) as unknown as Drafts)

export function idOf(at: number): string {
  return `MSG-20260205-123456-${String(at).padStart(9, '0')}-PID01234-0001`
}

/** The entry as which a draft reads back. */
export function entryOf({ body: said, ...fields }: WholeDraft): BusEntry {
  const bytes = Buffer.from(said)
  const read = bytes.toString()
  return { ...fields, body: read, ...(!Buffer.from(read).equals(bytes) && { body_base64: bytes.toString('base64') }) }
}

/** A draft with this body and little else. */
export function draftOf(said: string | Buffer, more: Partial<WholeDraft> = {}): WholeDraft {
  return {
    msg_id: idOf(1),
    ts: '2026-02-05T12:34:56Z',
    type: 'FACT',
    project_id: 'p',
    body: Buffer.from(said),
    ...more,
  }
}
