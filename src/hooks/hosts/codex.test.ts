import { describe, expect, it } from 'vitest'
import { readEvents } from '../../../test/fixtures/hooks/events.ts'
import { codex } from './codex.ts'
import type { HookAnswer, HookEvent } from './host.ts'

const { events } = readEvents('codex')
const parse = (label: string) => codex.parse(events[label]) as HookEvent
const render = (label: string, answer: HookAnswer) => codex.render(parse(label), answer)

describe('an event of Codex', () => {
  it.each([
    ['session start', { name: 'session.start', source: 'startup' }],
    ['session start after compaction', { name: 'session.start', source: 'compact' }],
    ['prompt', { name: 'prompt.submit' }],
    ['before a tool', { name: 'tool.before', tool: { name: 'Bash', useId: 'call_eb961b8683c24ba0bdeb' } }],
    ['after a tool', { name: 'tool.after', tool: { name: 'Bash', useId: 'call_eb961b8683c24ba0bdeb' } }],
    ['stop', { name: 'turn.stop', isStopActive: false }],
    ['continued stop', { name: 'turn.stop', isStopActive: true }],
    ['before compaction', { name: 'compact.before' }],
    ['after compaction', { name: 'compact.after' }],
    ['session end', { name: 'session.end', source: 'other' }],
  ])('%s is understood', (label, expected) => {
    expect(parse(label)).toMatchObject({ ...expected, isSubagent: false, cwd: '/home/ana/project' })
    expect(parse(label).sessionId).toBe(events[label]?.['session_id'])
  })

  it.each([
    ['subagent start', 'subagent.start'],
    ['prompt of a subagent', 'prompt.submit'],
    ['after a tool of a subagent', 'tool.after'],
    ['subagent stop', 'subagent.stop'],
  ])('%s is a subagent’s, though the session is the same', (label, name) => {
    expect(parse(label)).toMatchObject({ name, isSubagent: true, sessionId: events['subagent start']?.['session_id'] })
  })

  it('is told from another by the use of the tool alone, because a turn’s events share its id', () => {
    const labels = ['before a tool', 'before a second tool', 'after a tool', 'after a second tool']
    const firings = labels.map((label) => parse(label).firing)
    expect(new Set(firings).size).toBe(4)
    expect(firings).not.toContain(null)
    expect(events['stop']?.['turn_id']).toBe(events['continued stop']?.['turn_id'])
    expect(['prompt', 'stop', 'continued stop'].map((label) => parse(label).firing)).toEqual([null, null, null])
  })
})

describe('an answer to Codex', () => {
  it.each([
    ['session start', 'SessionStart'],
    ['prompt', 'UserPromptSubmit'],
    ['after a tool', 'PostToolUse'],
  ])('puts mail at %s into the context', (label, hookEventName) => {
    expect(JSON.parse(render(label, { context: 'mail' }))).toEqual({
      hookSpecificOutput: { hookEventName, additionalContext: 'mail' },
    })
  })

  it('shows mail at a stop as the reason to go on, because the context would be refused', () => {
    expect(JSON.parse(render('stop', { context: 'mail' }))).toEqual({ decision: 'block', reason: 'mail' })
    expect(JSON.parse(render('stop', { context: 'mail', block: 'gate', notice: 'note' }))).toEqual({
      decision: 'block',
      reason: 'gate\n\nmail',
      systemMessage: 'note',
    })
  })

  it('denies a tool', () => {
    expect(JSON.parse(render('before a tool', { block: 'gate' }))).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'gate',
      },
    })
  })

  it('is empty where nothing is said, and where nothing is read', () => {
    expect(render('stop', {})).toBe('')
    expect(render('before compaction', { context: 'mail', block: 'gate', notice: 'note' })).toBe('')
    expect(render('session end', { context: 'mail', block: 'gate', notice: 'note' })).toBe('')
  })
})
