import { describe, expect, it } from 'vitest'
import { readEvents } from '../../../test/fixtures/hooks/events.ts'
import { cursor } from './cursor.ts'
import type { HookAnswer, HookEvent } from './host.ts'

const { events } = readEvents('cursor')
const parse = (label: string) => cursor.parse(events[label]) as HookEvent
const render = (label: string, answer: HookAnswer) => cursor.render(parse(label), answer)

describe('an event of Cursor', () => {
  it.each([
    ['session start', { name: 'session.start', source: null }],
    ['prompt', { name: 'prompt.submit' }],
    ['before a tool', { name: 'tool.before', tool: { name: 'Shell', useId: 'tool_4d1f6c' } }],
    ['after a tool', { name: 'tool.after' }],
    ['stop', { name: 'turn.stop', isStopActive: false }],
    ['continued stop', { name: 'turn.stop', isStopActive: true }],
    ['before compaction', { name: 'compact.before' }],
    ['session end', { name: 'session.end', source: 'user_close' }],
  ])('%s is understood, with the conversation as its session and the first root as its folder', (label, expected) => {
    expect(parse(label)).toMatchObject({ ...expected, isSubagent: false, cwd: '/home/ana/project' })
    expect(parse(label).sessionId).toBe('8f1c7d7e-3e3b-4f0e-9a51-5d0f6a1c2b11')
  })

  it.each([
    ['subagent start', 'subagent.start'],
    ['subagent stop', 'subagent.stop'],
  ])('%s is a subagent’s', (label, name) => {
    expect(parse(label)).toMatchObject({ name, isSubagent: true })
  })

  it('neither holds nor continues a turn that the user broke off', () => {
    expect(parse('stop by the user').name).toBe('other')
    expect(render('stop by the user', { block: 'gate', context: 'mail' })).toBe('{}')
  })

  it('is told from another by generation, follow-up or use of the tool', () => {
    const labels = ['prompt', 'next prompt', 'before a tool', 'after a tool', 'stop', 'continued stop']
    const firings = labels.map((label) => parse(label).firing)
    expect(new Set(firings).size).toBe(labels.length)
    expect(firings).not.toContain(null)
    expect(['session start', 'before compaction'].map((label) => parse(label).firing)).toEqual([null, null])
  })
})

describe('an answer to Cursor', () => {
  it.each(['session start', 'after a tool'])('puts mail at %s into the context', (label) => {
    expect(JSON.parse(render(label, { context: 'mail', notice: 'note' }))).toEqual({ additional_context: 'mail' })
  })

  it('holds and continues a stop by the next message', () => {
    expect(JSON.parse(render('stop', { context: 'mail' }))).toEqual({ followup_message: 'mail' })
    expect(JSON.parse(render('stop', { context: 'mail', block: 'gate' }))).toEqual({
      followup_message: 'gate\n\nmail',
    })
  })

  it('denies a tool', () => {
    expect(JSON.parse(render('before a tool', { block: 'gate', context: 'mail' }))).toEqual({
      permission: 'deny',
      agent_message: 'gate',
    })
  })

  it('says nothing on a prompt, where it has no place for text', () => {
    expect(render('prompt', { context: 'mail', block: 'gate', notice: 'note' })).toBe('{}')
  })

  it('shows mail only as the next message, because versions of it drop what goes into the context', () => {
    expect(Object.keys(cursor.drains)).toEqual(['turn.stop'])
    expect(cursor.drains['turn.stop']).toBe(4)
  })

  it('is JSON even where nothing is said', () => {
    expect(Object.keys(events).map((label) => render(label, {}))).toEqual(Object.keys(events).map(() => '{}'))
  })
})
