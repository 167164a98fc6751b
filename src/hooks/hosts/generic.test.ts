import { describe, expect, it } from 'vitest'
import { readEvents } from '../../../test/fixtures/hooks/events.ts'
import { generic } from './generic.ts'
import { HOOK_EVENTS, type HookEvent } from './host.ts'

const { events } = readEvents('generic')
const parse = (label: string) => generic.parse(events[label]) as HookEvent

describe('an event of one’s own agent', () => {
  it.each([
    ['session start', { name: 'session.start', cwd: '/home/ana/project', source: 'startup' }],
    ['prompt', { name: 'prompt.submit' }],
    ['before a tool', { name: 'tool.before', tool: { name: 'shell', useId: 't1' } }],
    ['after a tool of a subagent', { name: 'tool.after', isSubagent: true }],
    ['stop', { name: 'turn.stop', isStopActive: false, cwd: null }],
    ['continued stop', { name: 'turn.stop', isStopActive: true }],
    ['something else', { name: 'other', hostEvent: 'model.changed' }],
    ['session end', { name: 'session.end', source: 'done' }],
  ])('%s is understood', (label, expected) => {
    expect(parse(label)).toMatchObject({ ...expected, sessionId: 'run-17' })
  })

  it('is told from another by its own id or the use of the tool', () => {
    const firings = ['prompt', 'before a tool', 'after a tool', 'stop', 'continued stop'].map((l) => parse(l).firing)
    expect(new Set(firings).size).toBe(5)
    expect(firings).not.toContain(null)
    expect(parse('session start').firing).toBeNull()
  })

  it.each(HOOK_EVENTS)('may be %s, by our own word', (event) => {
    expect(generic.parse({ event })).toMatchObject({ name: event, hostEvent: event })
  })
})

describe('an answer to one’s own agent', () => {
  it('says what was decided, at every event', () => {
    const answer = { context: 'mail', block: 'gate', notice: 'note' }
    for (const label of Object.keys(events)) expect(JSON.parse(generic.render(parse(label), answer))).toEqual(answer)
  })

  it('is an empty object where nothing is said', () => {
    expect(generic.render(parse('stop'), { context: '' })).toBe('{}')
  })
})
