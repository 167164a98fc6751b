import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createGate, deliveryOf, type Fired, fire, idsIn, makePlace, push } from '../faults/harness/hook.ts'
import { verifies } from './verifies.ts'

const URGENT = { priority: 1 } as const
const START = { fields: { source: 'startup' } }
/** The end of all tools of one batch. */
const batch = (useId: string) => ({ fields: { tool_calls: [{ tool_use_id: useId, tool_name: 'Bash' }] } })

describe('what a hook has shown', () => {
  it('is seen when the session goes on, and is not shown again', async () => {
    verifies('G4.hook.once')
    const place = await makePlace()
    const id = await push(place, 'once')
    expect(idsIn(await fire(place, 'UserPromptSubmit'))).toEqual([id])
    expect(await deliveryOf(place, id)).toMatchObject({ state: 'offered', attempt: 1 })
    expect(idsIn(await fire(place, 'UserPromptSubmit'))).toEqual([])
    expect(await deliveryOf(place, id)).toMatchObject({ state: 'seen', attempt: 1 })
    expect(idsIn(await fire(place, 'SessionStart', { ...START, session: 'ses-2' }))).toEqual([])
  })

  it('is not seen by an event that began before it was printed', async () => {
    verifies('G4.earlier-event')
    const place = await makePlace()
    const id = await push(place, 'at the same time', URGENT)
    // Began first, and reads its input only after the other has printed.
    const slow = fire(place, 'PostToolBatch', {
      ...batch('toolu_1'),
      wrap: ['sh', '-c', 'while [ ! -e go ]; do sleep 0.05; done; exec "$@"', 'sh'],
    })
    const quick = await fire(place, 'PostToolBatch', batch('toolu_2'))
    expect(idsIn(quick)).toEqual([id])
    writeFileSync(`${place.project}/go`, '')
    expect(idsIn(await slow)).toEqual([])
    expect(await deliveryOf(place, id)).toMatchObject({ state: 'offered' })
    await fire(place, 'PostToolBatch', batch('toolu_3'))
    expect(await deliveryOf(place, id)).toMatchObject({ state: 'seen' })
  })

  it('is seen when the session ends after a turn, and is given back where it was shown at its very start', async () => {
    verifies('G4.session-end')
    const place = await makePlace()
    const first = await push(place, 'at the start')
    expect(idsIn(await fire(place, 'SessionStart', START))).toEqual([first])
    await fire(place, 'SessionEnd', { fields: { reason: 'other' } })
    expect(await deliveryOf(place, first)).toMatchObject({ state: 'pending' })

    const again = await fire(place, 'UserPromptSubmit', { session: 'ses-2' })
    expect(idsIn(again)).toEqual([first])
    expect(again.context).toContain('attempt 2')
    const second = await push(place, 'within a turn', URGENT)
    expect(idsIn(await fire(place, 'PostToolBatch', { ...batch('toolu_1'), session: 'ses-2' }))).toEqual([second])
    const third = await push(place, 'at the stop')
    expect(idsIn(await fire(place, 'Stop', { session: 'ses-2' }))).toEqual([third])
    await fire(place, 'SessionEnd', { session: 'ses-2', fields: { reason: 'other' } })
    for (const id of [first, second, third]) expect(await deliveryOf(place, id)).toMatchObject({ state: 'seen' })
  })
})

describe('an event that is fired twice', () => {
  it('is answered once, whether at once or one after the other', async () => {
    verifies('S000.hook.double')
    const place = await makePlace()
    const ids = [await push(place, 'one', URGENT), await push(place, 'two', URGENT)]
    const twice = await Promise.all([
      fire(place, 'PostToolBatch', batch('toolu_1')),
      fire(place, 'PostToolBatch', batch('toolu_1')),
    ])
    expect(twice.flatMap(idsIn)).toEqual(ids)

    const later = await push(place, 'three', URGENT)
    const repeated = await fire(place, 'PostToolBatch', batch('toolu_1'))
    expect([repeated.code, repeated.stdout]).toEqual([0, ''])
    // It says nothing about what the session has read either.
    expect(await deliveryOf(place, ids[0] ?? '')).toMatchObject({ state: 'offered' })
    expect(idsIn(await fire(place, 'PostToolBatch', batch('toolu_2')))).toEqual([later])
  })

  it('shows each message once even where nothing tells the firings apart', async () => {
    verifies('S000.hook.double')
    const place = await makePlace()
    const id = await push(place, 'once')
    const prompts = await Promise.all([1, 2, 3].map(() => fire(place, 'UserPromptSubmit', PROMPT)))
    expect(prompts.flatMap(idsIn)).toEqual([id])
    expect(idsIn(await fire(place, 'UserPromptSubmit', PROMPT))).toEqual([])
  })

  it('holds a tool both times', async () => {
    const place = await makePlace()
    await createGate(place, { hook: 'tool', tool: 'Bash', reason: 'not yet' })
    const use = { fields: { tool_name: 'Bash', tool_input: {}, tool_use_id: 'toolu_1' } }
    for (const fired of [await fire(place, 'PreToolUse', use), await fire(place, 'PreToolUse', use)])
      expect(fired.block).toContain('not yet')
  })
})

const PROMPT = { fields: { prompt: 'go on', prompt_id: 'prompt-1' } }

describe('nothing is consumed', () => {
  it('by the events of a subagent, which confirm nothing either', async () => {
    verifies('G4.hook.subagent')
    const place = await makePlace()
    const shown = await push(place, 'shown to the agent')
    expect(idsIn(await fire(place, 'UserPromptSubmit'))).toEqual([shown])
    const waiting = await push(place, 'waits', { priority: 0 })
    const inside = { agent_id: 'agent-7', agent_type: 'Explore' }
    for (const [event, more] of [
      ['SubagentStart', {}],
      ['PreToolUse', { tool_name: 'Read', tool_use_id: 'toolu_1' }],
      ['PostToolBatch', { tool_calls: [{ tool_use_id: 'toolu_1' }] }],
      ['SubagentStop', {}],
      ['Stop', {}],
    ] as const) {
      const fired = await fire(place, event, { fields: { ...inside, ...more } })
      expect([event, fired.code, fired.stdout]).toEqual([event, 0, ''])
    }
    expect(await deliveryOf(place, shown)).toMatchObject({ state: 'offered' })
    expect(await deliveryOf(place, waiting)).toMatchObject({ state: 'pending', attempt: 0 })
  })

  it('by a compaction that begins', async () => {
    verifies('S000.hook.compaction')
    const place = await makePlace()
    const id = await push(place, 'not for the summariser', { priority: 0 })
    const fired = await fire(place, 'PreCompact', { fields: { trigger: 'auto', custom_instructions: '' } })
    expect([fired.code, fired.stdout]).toEqual([0, ''])
    expect(await deliveryOf(place, id)).toMatchObject({ state: 'pending', attempt: 0 })
  })

  it('where the host throws away what it is told', async () => {
    verifies('G4.hook.deaf')
    const place = await makePlace()
    const id = await push(place, 'for whoever listens', { priority: 0 })
    const deaf: readonly (readonly [string, string])[] = [
      ['cursor', 'beforeSubmitPrompt'],
      ['cursor', 'preToolUse'],
      ['cursor', 'sessionStart'],
      ['cursor', 'postToolUse'],
      ['claude-code', 'Notification'],
      ['claude-code', 'SessionEnd'],
      ['claude-code', 'PostToolUse'],
      ['codex', 'PreCompact'],
      ['gemini', 'PreCompress'],
      ['gemini', 'SessionEnd'],
    ]
    for (const [host, event] of deaf) {
      const fired = await fire(place, event, { host, session: `${host}-${event}` })
      expect([host, event, fired.code, idsIn(fired)]).toEqual([host, event, 0, []])
      expect(await deliveryOf(place, id)).toMatchObject({ state: 'pending', attempt: 0 })
    }
    expect(idsIn(await fire(place, 'stop', { host: 'cursor' }))).toEqual([id])
  })
})

describe('a compaction', () => {
  it('loses nothing and repeats nothing where the host keeps what was shown', async () => {
    verifies('S000.hook.compaction')
    const place = await makePlace()
    const before = await push(place, 'before')
    expect(idsIn(await fire(place, 'UserPromptSubmit'))).toEqual([before])
    await fire(place, 'PreCompact')
    const meanwhile = await push(place, 'meanwhile')
    expect(idsIn(await fire(place, 'SessionStart', { fields: { source: 'compact' } }))).toEqual([meanwhile])
    expect(idsIn(await fire(place, 'Stop'))).toEqual([])
    for (const id of [before, meanwhile])
      expect(await deliveryOf(place, id)).toMatchObject({ state: 'seen', attempt: 1 })
  })

  it('shows once more what only the summariser has read, where the host keeps nothing', async () => {
    verifies('S000.hook.compaction')
    const place = await makePlace()
    const codex = (event: string, fields = {}) => fire(place, event, { host: 'codex', fields })
    const first = await push(place, 'read long before')
    expect(idsIn(await codex('UserPromptSubmit'))).toEqual([first])
    const last = await push(place, 'just before', URGENT)
    expect(idsIn(await codex('PostToolUse', { tool_name: 'shell', tool_use_id: 'call_1' }))).toEqual([last])
    await codex('PreCompact')
    const after = await codex('SessionStart', { source: 'compact' })
    expect(idsIn(after)).toEqual([last])
    await codex('Stop')
    expect(await deliveryOf(place, first)).toMatchObject({ state: 'seen', attempt: 1 })
    expect(await deliveryOf(place, last)).toMatchObject({ state: 'seen', attempt: 2 })
  })
})

describe('what a moment is for', () => {
  it('shows what is high or more after tools, what is normal or more at a stop, and everything at a prompt', async () => {
    verifies('S000.hook.moments')
    const place = await makePlace()
    const ids: string[] = []
    for (const priority of [0, 1, 2, 3, 4] as const) ids.push(await push(place, `priority ${priority}`, { priority }))
    const shown: Fired[] = []
    shown.push(await fire(place, 'PostToolBatch', batch('toolu_1')))
    shown.push(await fire(place, 'Stop'))
    const granted = await fire(place, 'Stop')
    shown.push(await fire(place, 'UserPromptSubmit'))
    expect(shown.map(idsIn)).toEqual([ids.slice(0, 2), ids.slice(2, 3), ids.slice(3)])
    expect(granted.stdout).toBe('')
    expect(shown[0]?.context).toContain('3 more')
  })
})
