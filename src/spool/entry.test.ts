import { describe, expect, it } from 'vitest'
import { formatEntry, parseEntry, type SpoolEntry } from './entry.ts'

/** As it stands in seed 000. */
const SEED = `{
  "id": "uuid",
  "type": "decision",
  "source": "bd decision respond",
  "content": "<system-reminder>Decision X resolved: Y</system-reminder>",
  "priority": 2,
  "timestamp": 1707858243000,
  "dedup_key": "decision:hq-abc123",
  "ttl_seconds": 600
}`

function entryOf(line: string): SpoolEntry {
  const parsed = parseEntry(line)
  return 'entry' in parsed ? parsed.entry : expect.fail(parsed.fault)
}
const read = (fields: object) => entryOf(JSON.stringify({ content: 'x', ...fields }))

describe('an entry', () => {
  it("is the seed's", () => {
    expect(entryOf(SEED.replaceAll('\n', ''))).toEqual({
      id: 'uuid',
      type: 'decision',
      source: 'bd decision respond',
      content: '<system-reminder>Decision X resolved: Y</system-reminder>',
      priority: 2,
      writtenAt: 1_707_858_243_000,
      dedupKey: 'decision:hq-abc123',
      ttlMs: 600_000,
    })
  })

  it('needs nothing but its content, and is then of normal priority', () => {
    expect(entryOf('{"content":"CI failed"}')).toEqual({ content: 'CI failed', priority: 2 })
  })

  it('takes the zero values of Go, and null, for absent fields, but priority 0 for critical', () => {
    const zero = { id: '', type: '', source: '', priority: 0, timestamp: 0, dedup_key: '', ttl_seconds: 0 }
    expect(read(zero)).toEqual({ content: 'x', priority: 0 })
    const none = { id: null, type: null, source: null, priority: null, timestamp: null, dedup_key: null }
    expect(read({ ...none, ttl_seconds: null })).toEqual({ content: 'x', priority: 2 })
  })

  it.each([
    [-3, 0],
    [1.4, 1],
    [9, 4],
    ['high', 1],
    ['3', 3],
    ['soon', 2],
    [[], 2],
    [true, 2],
  ])('has for the priority %j the nearest that there is: %j', (given, priority) => {
    expect(read({ priority: given })).toEqual({ content: 'x', priority })
  })

  it('may name its time in seconds', () => {
    expect(read({ timestamp: 1_707_858_243 })).toMatchObject({ writtenAt: 1_707_858_243_000 })
    expect(read({ timestamp: -1 })).not.toHaveProperty('writtenAt')
    expect(read({ timestamp: 1e300 })).not.toHaveProperty('writtenAt')
    expect(read({ timestamp: '2026-01-01' })).not.toHaveProperty('writtenAt')
  })

  it('is shown whatever its labels are', () => {
    expect(read({ type: ' Decision ', extra: { deep: [1] } })).toMatchObject({ type: 'decision' })
    for (const type of ['no such type', 7, {}]) expect(read({ type })).not.toHaveProperty('type')
    expect(read({ id: 42, source: ['x'], ttl_seconds: -5 })).toEqual({ content: 'x', priority: 2, id: '42' })
    expect(read({ ttl_seconds: 1e308 })).toMatchObject({ ttlMs: Number.MAX_SAFE_INTEGER })
  })

  it('has no name of which two entries could share one, or which no store can keep', () => {
    for (const id of ['9007199254740993', '1e999', '0', '0.1']) {
      expect(entryOf(`{"content":"x","id":${id},"dedup_key":${id}}`)).toEqual({ content: 'x', priority: 2 })
    }
    for (const name of ['k'.repeat(301), 'é'.repeat(151), 'a\0b', '\ud800']) {
      expect(read({ id: name, dedup_key: name })).toEqual({ content: 'x', priority: 2 })
    }
    const [id, source] = ['k'.repeat(300), 's'.repeat(301)]
    expect(read({ id, source })).toMatchObject({ id, source })
  })

  it.each([
    ['not JSON', 'it is not JSON'],
    ['{"content":"torn', 'it is not JSON'],
    ['[1]', 'it is not a JSON object'],
    ['null', 'it is not a JSON object'],
    ['{}', 'it has no content'],
    ['{"content":7}', 'it has no content'],
    ['['.repeat(100_000), 'it is not JSON'],
  ])('is none where nothing can be shown: %.20s', (line, fault) => {
    expect(parseEntry(line)).toEqual({ fault })
  })

  it('reads back as it was written, on one line', () => {
    const entry: SpoolEntry = {
      content: 'two\nlines\u2028 "quoted" \\ and 😀',
      priority: 1,
      id: 'i',
      type: 'alert',
      source: 's',
      writtenAt: 1_707_858_243_123,
      dedupKey: 'k',
      ttlMs: 1_500,
    }
    const line = formatEntry(entry)
    expect(line.indexOf('\n')).toBe(line.length - 1)
    expect(entryOf(line)).toEqual(entry)
    expect(JSON.parse(formatEntry({ content: 'x', priority: 2 }))).toEqual({ content: 'x', priority: 2 })
  })
})
