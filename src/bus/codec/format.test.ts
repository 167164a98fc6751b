import { describe, expect, it } from 'vitest'
import { draftOf } from '../../../test/helpers/bus/drafts.ts'
import type { BusEntry } from '../../model/bus/entry.ts'
import { formatEntry, type WholeDraft } from './format.ts'
import { scan } from './scan.ts'

const EXAMPLE = `---
msg_id: MSG-20260205-123456-123456789-PID01234-0001
ts: 2026-02-05T12:34:56Z
type: ISSUE
project_id: conductor-loop
task_id: task-20260205-docs
run_id: run_20260205-123456-12345
issue_id: ISSUE-1
parents:
  - msg_id: MSG-20260205-120000-000000001-PID01234-0001
    kind: depends_on
attachments:
  - path: attachments/logs/run-stdout.txt
    kind: log
    label: agent stdout
links:
  - kind: output
    path: /path/to/run-agent/conductor-loop/task-20260205-docs/runs/run_20260205-123456-12345/output.md
meta:
  agent_type: codex
---
Need update unit tests before release.
`

function readOne(text: string | Buffer): BusEntry {
  const { items } = scan({ bytes: Buffer.from(text), offset: 0, isLast: true }, { project_id: 'p' })
  expect(items).toHaveLength(1)
  const [item] = items
  if (item?.kind !== 'entry') throw new Error(item?.reason)
  return item.entry
}

function draftFrom({ body, extra: _, body_base64: __, ...fields }: BusEntry): WholeDraft {
  return { ...fields, body: Buffer.from(body) }
}

const headerOf = (draft: WholeDraft) => formatEntry(draft).toString().split('\n---\n')[0] ?? ''

describe("the seed's example", () => {
  it('is read as it is meant', () => {
    expect(readOne(EXAMPLE)).toEqual({
      msg_id: 'MSG-20260205-123456-123456789-PID01234-0001',
      ts: '2026-02-05T12:34:56Z',
      type: 'ISSUE',
      project_id: 'conductor-loop',
      task_id: 'task-20260205-docs',
      run_id: 'run_20260205-123456-12345',
      issue_id: 'ISSUE-1',
      parents: [{ msg_id: 'MSG-20260205-120000-000000001-PID01234-0001', kind: 'depends_on' }],
      attachments: [{ path: 'attachments/logs/run-stdout.txt', kind: 'log', label: 'agent stdout' }],
      links: [
        {
          kind: 'output',
          path: '/path/to/run-agent/conductor-loop/task-20260205-docs/runs/run_20260205-123456-12345/output.md',
        },
      ],
      meta: { agent_type: 'codex' },
      body: 'Need update unit tests before release.',
    })
  })

  it('is written byte for byte as it is there, but for three headers of ours', () => {
    const written = formatEntry(draftFrom(readOne(EXAMPLE))).toString()
    const ours = `body_bytes: 38\nsha256: 2f861e156af124688ad6b3bb65191ac30cb40dcb79d92df742507a8fa584a91a\n`
    const [checksum = ''] = /header_sha256: [0-9a-f]{64}\n/.exec(written) ?? []
    expect(written.replace(checksum, '')).toBe(EXAMPLE.replace('agent_type: codex\n', `$&${ours}`))
    expect(readOne(written)).toEqual(readOne(EXAMPLE))
  })
})

describe('a header', () => {
  it('has texts that no YAML takes for anything else', () => {
    const draft = draftOf('x', { project_id: '012', task_id: 'no', run_id: 'a: b', issue_id: '2026-02-05' })
    expect(headerOf(draft)).toContain('project_id: "012"\ntask_id: "no"\nrun_id: "a: b"\nissue_id: "2026-02-05"\n')
  })

  it('has every text on one line', () => {
    const header = headerOf(draftOf('x', { meta: { text: 'a\n---\nb\u2028\x85\x7f' } }))
    expect(header).toContain('text: "a\\n---\\nb\\u2028\\u0085\\u007f"')
  })

  it('leaves out what is empty', () => {
    const draft = draftOf('x', { task_id: '', parents: [], attachments: [], links: [], meta: {} })
    expect(headerOf(draft)).toBe(headerOf(draftOf('x')))
  })

  it('has the names of types that are not older ones', () => {
    expect(readOne(formatEntry(draftOf('x', { type: 'RUN_START' }))).type).toBe('START')
    expect(headerOf(draftOf('x', { type: 'RUN_STOP' }))).toContain('type: STOP\n')
    expect(headerOf(draftOf('x', { type: 'constructor' }))).toContain('type: constructor\n')
  })
})

describe('an entry that would not read back is refused', () => {
  const deep = (depth: number): WholeDraft['meta'] => (depth === 0 ? {} : { a: deep(depth - 1) ?? {} })
  const untyped = (more: object) => draftOf('x', more as Partial<WholeDraft>)

  it.each([
    ['without an id', draftOf('x', { msg_id: '' }), 'its msg_id is empty'],
    ['without a time', draftOf('x', { ts: 'today' }), 'its ts is no time'],
    ['with a time that forges a header', draftOf('x', { ts: '2026-02-05T12:34:56Z\ntype: USER' }), 'its ts is no time'],
    ['without a project', draftOf('x', { project_id: '' }), 'its project_id is empty'],
    ['with half a character', draftOf('x', { run_id: 'a\ud800' }), 'lone surrogate'],
    ['with half a character in a key', draftOf('x', { meta: { '\udc00': 1 } }), 'lone surrogate'],
    ['with no number', draftOf('x', { meta: { a: Number.NaN } }), 'not finite'],
    ['with what is not JSON', untyped({ meta: { a: undefined } }), 'not JSON'],
    ['with a function', untyped({ meta: { a: () => 1 } }), 'not JSON'],
    ['with what is nested too deep', draftOf('x', { meta: deep(40) ?? {} }), 'more than 32 deep'],
    ['with an endless key', draftOf('x', { meta: { ['a'.repeat(1_001)]: 1 } }), 'longer than 1000'],
    ['with a parent that is none', draftOf('x', { parents: [{ msg_id: '' }] }), 'one of its parents has no msg_id'],
    ['with an attachment that is none', draftOf('x', { attachments: [{ path: '' }] }), 'has no path'],
    ['with half a size', draftOf('x', { attachments: [{ path: 'a', size_bytes: 1.5 }] }), 'size_bytes'],
    ['with a number for a text', untyped({ links: [{ kind: 7 }] }), 'kind'],
    ['with a link to nothing', draftOf('x', { links: [{}] }), 'one of its links is empty'],
  ])('%s', (_, draft, reason) => {
    expect(() => formatEntry(draft)).toThrow(
      expect.objectContaining({ code: 'BUS_ENTRY_INVALID', message: expect.stringContaining(reason) }),
    )
  })
})
