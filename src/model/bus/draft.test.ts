import { describe, expect, it } from 'vitest'
import type { PostEntry } from './bus.ts'
import { parseAttachments, parseBase64, parseBody, parseHeader } from './draft.ts'
import { BUS_LIMITS } from './entry.ts'

const PLACE = { project_id: 'p', task_id: 't' }
const invalid = expect.objectContaining({ code: 'BUS_ENTRY_INVALID' })
const header = (input: Partial<PostEntry>) => parseHeader({ ...PLACE, ...input })

describe('the header of an entry', () => {
  it('says nothing that was not said, but for its type', () => {
    expect(header({})).toStrictEqual({ ...PLACE, type: 'USER' })
    expect(header({ parents: [], links: [], meta: {} })).toStrictEqual({ ...PLACE, type: 'USER' })
  })

  it('takes parents as ids or with their kinds', () => {
    expect(
      header({ parents: ['MSG-1', { msg_id: 'LEGACY-LINE-3', kind: 'answers' }, { msg_id: 'other:7' }] }),
    ).toMatchObject({
      parents: [{ msg_id: 'MSG-1' }, { msg_id: 'LEGACY-LINE-3', kind: 'answers' }, { msg_id: 'other:7' }],
    })
    for (const msg_id of ['', 'a b', 'a,b', 'a\nb', 'ü', 'x'.repeat(201)])
      expect(() => header({ parents: [msg_id] })).toThrow(expect.objectContaining({ code: 'BUS_ID_INVALID' }))
    expect(() => header({ parents: [{ msg_id: 'a', kind: 'depends on' }] })).toThrow(invalid)
    expect(() => header({ parents: Array(51).fill('a') })).toThrow(invalid)
  })

  it('links to paths and addresses, and to nothing that a page would run', () => {
    const links = [{ kind: 'output', path: '/runs/1/output.md', run_id: 'run_1' }, { url: 'https://example.com/x?y' }]
    expect(header({ links })).toMatchObject({ links })
    for (const url of [
      'javascript:alert(1)',
      'JavaScript:x',
      'data:text/html,x',
      'no address',
      '',
      'https:',
      'https://a b',
    ])
      expect(() => header({ links: [{ url }] })).toThrow(invalid)
    for (const link of [{}, { kind: 'x' }, { path: '' }, { path: 'a\nb' }, { path: 'x'.repeat(4_097) }])
      expect(() => header({ links: [link] })).toThrow(invalid)
  })

  it('holds any JSON as meta, but not what only Postern says', () => {
    const meta = { agent_type: 'codex', exit_code: 3, nested: { list: [1, null, true] } }
    expect(header({ meta })).toMatchObject({ meta })
    for (const key of ['from', 'from_verified', 'decision_id'])
      expect(() => header({ meta: { [key]: 'justin' } })).toThrow(invalid)
    for (const value of ['\ud800', 'a\0b', Number.NaN, undefined])
      expect(() => header({ meta: { key: value as never } })).toThrow(invalid)
    expect(() => header({ meta: { 'a\nb': 1 } })).toThrow(invalid)
  })
})

describe('a body', () => {
  const bytesOf = (text: string) => new TextEncoder().encode(text)

  it('is one of its three names', () => {
    expect(parseBody({ ...PLACE, body: 'ä' })).toEqual(bytesOf('ä'))
    expect(parseBody({ ...PLACE, message: 'x' })).toEqual(bytesOf('x'))
    expect(parseBody({ ...PLACE, body_base64: '/wA=' })).toEqual(Uint8Array.of(0xff, 0))
    expect(parseBody({ ...PLACE, body: '' })).toEqual(new Uint8Array())
    expect(parseBody(PLACE)).toBeUndefined()
    expect(() => parseBody({ ...PLACE, body: 'a', message: 'a' })).toThrow(invalid)
  })

  it('is taken up to its limit, in bytes', () => {
    expect(parseBody({ ...PLACE, body: 'x'.repeat(BUS_LIMITS.bodyBytes) })).toHaveLength(BUS_LIMITS.bodyBytes)
    expect(() => parseBody({ ...PLACE, body: 'ä'.repeat(BUS_LIMITS.bodyBytes / 2 + 1) })).toThrow(
      expect.objectContaining({ code: 'BUS_BODY_TOO_LARGE' }),
    )
  })

  it('is refused where it would be read as another', () => {
    expect(() => parseBody({ ...PLACE, body: 'half \ud800' })).toThrow(
      expect.objectContaining({ code: 'TEXT_INVALID' }),
    )
    for (const text of ['a', 'abc', 'ab c', 'YQ', 'YQ=', '====', 'Y\n==', 'ä==='])
      expect(() => parseBase64('data', text)).toThrow(invalid)
  })
})

describe('what is attached', () => {
  it('is a path, or data with a name', () => {
    const attachments = [
      { path: 'logs/out.txt', kind: 'log', label: 'agent stdout', mime: 'text/plain' },
      { data: 'YQ==', name: 'a.txt' },
    ]
    expect(parseAttachments(attachments)).toEqual(attachments)
    for (const each of [
      {},
      { path: 'a', data: 'YQ==' },
      { path: 'a', name: 'b' },
      { path: '' },
      { path: 'a', label: ' ' },
    ])
      expect(() => parseAttachments([each])).toThrow(invalid)
    expect(() => parseAttachments(Array(51).fill({ path: 'a' }))).toThrow(invalid)
  })
})
