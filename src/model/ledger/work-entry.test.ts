import { describe, expect, it } from 'vitest'
import { formatWorkEntry, MAX_NOTIFY, parseWorkEntry, type WorkEvent, type WorkNote } from './work-entry.ts'

const NOTE: WorkNote = {
  kind: 'note',
  type: 'task.note',
  from_agent: 'quinn',
  note: '**Done** with the first half.',
  notify: ['mindy', 'justin'],
  priority: 2,
  note_id: 'note_1',
  ts: '2026-04-25T10:00:00.000Z',
}

const EVENT: WorkEvent = {
  kind: 'event',
  type: 'task.blocked',
  from_agent: 'quinn',
  subject: 'No access',
  payload: { on: 'the key' },
  event_id: 'evt_1',
  ts: '2026-04-25T10:00:00.000Z',
}

describe('a note', () => {
  it('has the names of the seed', () => {
    const { kind: _, ...fields } = NOTE
    expect(JSON.parse(formatWorkEntry(NOTE))).toEqual(fields)
    expect(parseWorkEntry(formatWorkEntry(NOTE))).toEqual(NOTE)
  })

  it('is read in the form of the seed, which has neither an id nor a priority', () => {
    const seed = { type: 'phase.note', from_agent: 'quinn', note: 'x', notify: ['mindy'], ts: '2026-04-25T10:00:00Z' }
    expect(parseWorkEntry(JSON.stringify(seed))).toEqual({ kind: 'note', ...seed, priority: 3, note_id: null })
  })

  it('tells each agent once, and only what can be an agent', () => {
    const notify = ['mindy', 'mindy', 'ALL', 'all', 'system', 7, null, 'justin', '../x']
    expect(parseWorkEntry(JSON.stringify({ type: 'task.note', note: 'x', notify }))).toMatchObject({
      notify: ['mindy', 'justin'],
    })
    const many = Array.from({ length: 1000 }, (_, index) => `agent-${index}`)
    const entry = parseWorkEntry(JSON.stringify({ type: 'task.note', note: 'x', notify: many }))
    expect(entry).toMatchObject({ notify: many.slice(0, MAX_NOTIFY) })
    expect(parseWorkEntry('{"type":"task.note","note":"x","notify":"mindy"}')).toMatchObject({ notify: [] })
  })

  it('may be anonymous', () => {
    expect(parseWorkEntry('{"type":"task.note","note":"x"}')).toMatchObject({ from_agent: 'unknown', ts: null })
  })
})

describe('an event', () => {
  it('reads back as it was written', () => {
    expect(parseWorkEntry(formatWorkEntry(EVENT))).toEqual(EVENT)
    const bare: WorkEvent = { ...EVENT, subject: null, payload: null, event_id: null, ts: null }
    expect(JSON.parse(formatWorkEntry(bare))).toEqual({ type: 'task.blocked', from_agent: 'quinn' })
    expect(parseWorkEntry(formatWorkEntry(bare))).toEqual(bare)
  })

  it('of another program keeps what it says as its payload', () => {
    expect(parseWorkEntry('{"type":"task.complete","task_id":"7","by":"quinn"}')).toMatchObject({
      kind: 'event',
      type: 'task.complete',
      from_agent: 'unknown',
      payload: { task_id: '7', by: 'quinn' },
    })
    const deep = `{"type":"task.complete","a":${'['.repeat(32)}${']'.repeat(32)}}`
    expect(parseWorkEntry(deep)).toMatchObject({ type: 'task.complete', payload: null })
  })
})

describe('an entry on the topic of a work item', () => {
  it.each([
    '',
    'hello',
    '[]',
    '{}',
    '{"type":5}',
    '{"type":"Task Note"}',
    '{"type":"task.note"}',
    '{"type":"task.note","note":" \\n"}',
    '{"type":"task.note","note":["x"]}',
    '{"type":"poem.note","note":"x"}',
    '{"type":"task.blocked","subject":"\\ud800"}',
    `{"type":"task.blocked","payload":${'['.repeat(50)}${']'.repeat(50)}}`,
  ])('is skipped where it is neither (%#)', (text) => {
    expect(parseWorkEntry(text)).toBeUndefined()
  })
})
