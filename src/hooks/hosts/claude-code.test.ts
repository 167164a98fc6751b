import { describe, expect, it } from 'vitest'
import { readEvents } from '../../../test/fixtures/hooks/events.ts'
import { claudeCode } from './claude-code.ts'
import type { HookAnswer, HookEvent } from './host.ts'

const { events } = readEvents('claude-code')
const parse = (label: string) => claudeCode.parse(events[label]) as HookEvent
const render = (label: string, answer: HookAnswer) => claudeCode.render(parse(label), answer)

describe('an event of Claude Code', () => {
  it.each([
    ['session start', { name: 'session.start', hostEvent: 'SessionStart', source: 'startup', firing: null }],
    ['resume', { name: 'session.start', source: 'resume' }],
    ['session start after compaction', { name: 'session.start', source: 'compact' }],
    ['prompt', { name: 'prompt.submit', source: null }],
    ['before a tool', { name: 'tool.before', tool: { name: 'Bash', useId: 'toolu_bec1917ea58145b38d7edf' } }],
    ['after one tool', { name: 'other', hostEvent: 'PostToolUse' }],
    ['after all tools', { name: 'tool.after', hostEvent: 'PostToolBatch', tool: null }],
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
    ['before a tool of a subagent', 'tool.before'],
    ['after all tools of a subagent', 'tool.after'],
    ['subagent stop', 'subagent.stop'],
  ])('%s is a subagent’s', (label, name) => {
    expect(parse(label)).toMatchObject({ name, isSubagent: true })
  })

  it('a session that runs as an agent of its own kind is no subagent', () => {
    expect(claudeCode.parse({ ...events['stop'], agent_type: 'reviewer' })).toMatchObject({ isSubagent: false })
  })

  it('the agent that summarises is none of the user’s', () => {
    expect(parse('stop of the summarising agent')).toMatchObject({ name: 'other', isSubagent: true })
  })

  it('says nothing of a tool’s input and output', () => {
    const text = JSON.stringify([parse('before a tool'), parse('after one tool'), parse('after all tools')])
    expect(text).not.toContain('echo')
    expect(text).not.toContain('stdout')
  })

  it('is told from another by the use of the tool', () => {
    const firings = ['before a tool', 'before a second tool', 'after one tool', 'after all tools'].map(
      (label) => parse(label).firing,
    )
    expect(new Set(firings).size).toBe(4)
    expect(firings).not.toContain(null)
    expect(claudeCode.parse(structuredClone(events['after all tools']))?.firing).toBe(firings[3])
  })

  it('is never taken for another one with the same prompt id', () => {
    expect(events['prompt']?.['prompt_id']).toBe(events['prompt while it works']?.['prompt_id'])
    expect(events['continued stop']?.['prompt_id']).toBe(events['second continued stop']?.['prompt_id'])
    const labels = ['prompt', 'prompt while it works', 'stop', 'continued stop', 'second continued stop']
    expect(labels.map((label) => parse(label).firing)).toEqual([null, null, null, null, null])
  })

  it.each(['cursor', 'copilot'])('is not what %s sends to its hooks', (program) => {
    const foreign = Object.values(readEvents(program).events)
    expect(foreign.map((event) => claudeCode.parse(event))).toEqual(foreign.map(() => undefined))
  })

  it('is not what VS Code sends, which runs these hooks too and says the time and where it writes', () => {
    const foreign = { ...events['prompt'], timestamp: '2026-11-16T03:20:24.138Z' }
    expect(foreign).toHaveProperty('transcript_path')
    expect(claudeCode.parse(foreign)).toBeUndefined()
    expect(Object.values(events).filter((event) => 'timestamp' in event)).toEqual([])
  })

  it('may be written by hand with little in it', () => {
    expect(claudeCode.parse({ session_id: 's1', hook_event_name: 'UserPromptSubmit' })).toEqual({
      name: 'prompt.submit',
      hostEvent: 'UserPromptSubmit',
      sessionId: 's1',
      cwd: null,
      isSubagent: false,
      tool: null,
      isStopActive: false,
      source: null,
      firing: null,
    })
  })
})

describe('an answer to Claude Code', () => {
  it.each([
    ['session start', 'SessionStart'],
    ['prompt', 'UserPromptSubmit'],
    ['after all tools', 'PostToolBatch'],
    ['stop', 'Stop'],
  ])('puts mail at %s into the context', (label, hookEventName) => {
    expect(JSON.parse(render(label, { context: 'mail' }))).toEqual({
      hookSpecificOutput: { hookEventName, additionalContext: 'mail' },
    })
  })

  it('holds a stop by its reason and shows the mail beside it', () => {
    expect(JSON.parse(render('stop', { block: 'gate', context: 'mail' }))).toEqual({
      decision: 'block',
      reason: 'gate',
      hookSpecificOutput: { hookEventName: 'Stop', additionalContext: 'mail' },
    })
    expect(JSON.parse(render('stop', { block: 'gate' }))).toEqual({ decision: 'block', reason: 'gate' })
  })

  it('denies a tool', () => {
    expect(JSON.parse(render('before a tool', { block: 'gate', notice: 'note' }))).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'gate',
      },
      systemMessage: 'note',
    })
  })

  it('is empty where nothing is said', () => {
    expect(render('stop', {})).toBe('')
    expect(render('stop', { block: '', context: '', notice: '' })).toBe('')
  })

  it.each([
    'before compaction',
    'after compaction',
    'session end',
    'after one tool',
    'subagent stop',
  ])('is empty at %s, whatever is said', (label) => {
    expect(render(label, { context: 'mail', block: 'gate', notice: 'note' })).toBe('')
  })

  it('never blocks a prompt, which would erase it', () => {
    expect(render('prompt', { block: 'gate' })).toBe('')
  })
})
