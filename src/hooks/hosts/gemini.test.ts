import { describe, expect, it } from 'vitest'
import { readEvents } from '../../../test/fixtures/hooks/events.ts'
import { gemini } from './gemini.ts'
import type { HookAnswer, HookEvent } from './host.ts'

const { events } = readEvents('gemini')
const parse = (label: string) => gemini.parse(events[label]) as HookEvent
const render = (label: string, answer: HookAnswer) => gemini.render(parse(label), answer)

describe('an event of Gemini CLI', () => {
  it.each([
    ['session start', { name: 'session.start', source: 'startup' }],
    ['prompt', { name: 'prompt.submit', isStopActive: false }],
    ['before a tool', { name: 'tool.before', tool: { name: 'run_shell_command', useId: null } }],
    ['after a tool', { name: 'tool.after' }],
    ['before a request to the model', { name: 'compact.before', hostEvent: 'PreCompress' }],
    ['stop', { name: 'turn.stop', isStopActive: false }],
    ['continued stop', { name: 'turn.stop', isStopActive: true }],
    ['session end', { name: 'session.end', source: 'exit' }],
  ])('%s is understood', (label, expected) => {
    expect(parse(label)).toMatchObject({ ...expected, isSubagent: false, cwd: '/home/ana/project' })
    expect(parse(label).sessionId).toBe(events[label]?.['session_id'])
  })

  it('of a subagent’s tool looks like the agent’s own, so no mail is shown after tools', () => {
    expect(parse('after a tool of a subagent')).toMatchObject({ name: 'tool.after', isSubagent: false })
    expect(gemini.drains['tool.after']).toBeUndefined()
  })

  it('of a continued stop comes as a prompt that says nothing of it', () => {
    expect(parse('continuation that comes as a prompt')).toMatchObject({ name: 'prompt.submit', isStopActive: false })
    expect(gemini.continuesAsPrompt).toBe(true)
  })

  it('is told from another by its time', () => {
    const labels = ['session start', 'prompt', 'continuation that comes as a prompt', 'stop', 'continued stop']
    const firings = labels.map((label) => parse(label).firing)
    expect(new Set(firings).size).toBe(labels.length)
    expect(firings).not.toContain(null)
    expect(gemini.parse(structuredClone(events['stop']))?.firing).toBe(parse('stop').firing)
  })

  it('of a tool is not told from another, because two may end in one millisecond', () => {
    expect(parse('before a tool').firing).toBeNull()
    expect(parse('after a tool').firing).toBeNull()
  })
})

describe('an answer to Gemini CLI', () => {
  it.each([
    ['session start', 'SessionStart'],
    ['prompt', 'BeforeAgent'],
    ['after a tool', 'AfterTool'],
  ])('puts text at %s into the context', (label, hookEventName) => {
    expect(JSON.parse(render(label, { context: 'mail' }))).toEqual({
      hookSpecificOutput: { hookEventName, additionalContext: 'mail' },
    })
  })

  it('holds a stop by denying it', () => {
    expect(JSON.parse(render('stop', { block: 'gate', context: 'mail' }))).toEqual({
      decision: 'deny',
      reason: 'gate\n\nmail',
    })
  })

  it('denies a tool, and shows no text there', () => {
    expect(JSON.parse(render('before a tool', { block: 'gate', context: 'mail' }))).toEqual({
      decision: 'deny',
      reason: 'gate',
    })
  })

  it('is empty where nothing is said, and before each request to the model', () => {
    expect(render('prompt', {})).toBe('')
    expect(render('before a request to the model', { context: 'mail', block: 'gate', notice: 'note' })).toBe('')
  })
})
