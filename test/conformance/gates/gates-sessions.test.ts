import { expect } from 'vitest'
import type { SessionGateRule } from '../../../src/model/gate.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { conformance, refused } from '../suite.ts'
import {
  asJustin,
  asQuinn,
  EVERYONE,
  expectTold,
  gateOf,
  gateSteps,
  judge,
  MINUTE_MS,
  mailUnder,
  namesIn,
  stateOfGate,
  useUpStops,
} from './people.ts'

const RULE: SessionGateRule = { name: 'notes', hook: 'stop', mode: 'strict', check: null, reason: 'Write notes' }
const DECISION: SessionGateRule = { ...RULE, name: 'decision', reason: 'Offer a decision' }
const NOTHING = { strict: [], soft: [] }

const begin = (postern: Postern, id = 'ses-1') => postern.sessions.begin({ id, agent: 'quinn' })

const passed = (postern: Postern, outcome: 'blocked' | 'warned' | 'breached' | 'bypassed', ...names: string[]) =>
  postern.gates.passed({ agent: 'quinn', sessionId: 'ses-1', outcome, names, evidence: `it was ${outcome}` })

conformance('gates of a session', ({ rule, open }) => {
  rule('are for the agent of the session alone: another neither has them judged nor takes their warnings', async () => {
    verifies('S000.gate.session')
    const { postern } = await open({ agents: EVERYONE })
    await begin(postern)
    await postern.gates.register({ sessionId: 'ses-1', name: 'notes', mode: 'soft' })
    await refused(judge(postern, { agent: 'rex' }), 'SESSION_CONFLICT')
    const ofRex = { agent: 'rex', sessionId: 'ses-1', names: ['notes'], evidence: 'no reason' }
    for (const outcome of ['warned', 'bypassed'] as const) {
      await refused(postern.gates.passed({ ...ofRex, outcome }), 'SESSION_CONFLICT')
    }
    expect(namesIn(await judge(postern)).soft).toEqual(['notes'])
    expect(await mailUnder(postern, 'justin', 'postern:gate-')).toEqual([])
  })

  rule('are passed so many at once at most, so that nobody is flooded with the news', async () => {
    const { postern } = await open({ agents: EVERYONE })
    const names = Array.from({ length: 501 }, (_, at) => `gate-${at}`)
    await refused(passed(postern, 'bypassed', ...names), 'VALUE_INVALID')
    expect(await mailUnder(postern, 'justin', 'postern:gate-')).toEqual([])
  })

  rule('holds every session as the configuration says, until the session is marked', async () => {
    verifies('S000.gate.session', 'G8.strict')
    const { postern } = await open({ agents: EVERYONE, sessionGates: [RULE] })
    await begin(postern)
    await begin(postern, 'ses-2')
    expect(await judge(postern)).toEqual({
      strict: [
        {
          name: 'notes',
          isDurable: false,
          mode: 'strict',
          reason: 'Write notes',
          onUnavailable: 'block',
          createdBy: 'configuration',
          createdTrust: { kind: 'system', verified: true, via: 'postern' },
        },
      ],
      soft: [],
    })
    const marked = await asQuinn(postern).gates.mark({ sessionId: 'ses-1', name: 'notes' })
    expect(marked).toMatchObject({ name: 'notes', markedBy: 'quinn', registeredBy: 'system' })
    expect(await asJustin(postern).gates.mark({ sessionId: 'ses-1', name: 'notes' })).toEqual(marked)
    expect(await judge(postern)).toEqual(NOTHING)
    expect(namesIn(await judge(postern, { sessionId: 'ses-2' })).strict).toEqual(['notes'])
  })

  rule('holds one session by a gate that was registered for it, which comes before the configuration', async () => {
    verifies('S000.gate.session')
    const { postern } = await open({ agents: EVERYONE, sessionGates: [RULE] })
    await begin(postern)
    await begin(postern, 'ses-2')
    const gate = await asJustin(postern).gates.register({ sessionId: 'ses-1', name: 'tests', reason: 'Run the tests' })
    expect(gate).toMatchObject({ hook: 'stop', mode: 'strict', check: null, registeredBy: 'justin', markedAt: null })
    const notes = { sessionId: 'ses-1', name: 'notes', mode: 'soft', reason: 'Perhaps notes' } as const
    await asJustin(postern).gates.register(notes)
    expect(namesIn(await judge(postern))).toEqual({ strict: ['tests'], soft: ['notes'] })
    expect(namesIn(await judge(postern, { sessionId: 'ses-2' }))).toEqual({ strict: ['notes'], soft: [] })
    await asJustin(postern).gates.register({ sessionId: 'ses-1', name: 'tests', mode: 'soft' })
    expect(namesIn(await judge(postern)).soft.toSorted()).toEqual(['notes', 'tests'])
  })

  rule('judges by its command alone where it has one', async () => {
    verifies('S000.gate.session')
    const { postern } = await open({
      agents: EVERYONE,
      sessionGates: [
        { ...RULE, name: 'passes', check: 'true' },
        { ...RULE, name: 'fails', check: 'false' },
        { ...RULE, name: 'at-root', check: 'test "$PWD" = /' },
      ],
    })
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', project: '/' })
    expect(namesIn(await judge(postern)).strict).toEqual(['fails'])
    const error = await refused(postern.gates.mark({ sessionId: 'ses-1', name: 'fails' }), 'VALUE_INVALID')
    expect(error.next).toBe('Only its command opens it.')
  })

  rule('holds while its command takes longer than there is time', async () => {
    verifies('S000.gate.session')
    const { postern } = await open({ agents: EVERYONE, sessionGates: [{ ...RULE, name: 'slow', check: 'sleep 600' }] })
    await begin(postern)
    expect(namesIn(await judge(postern, { timeoutMs: 500 })).strict).toEqual(['slow'])
  })

  rule('asks for a decision of this turn', async () => {
    verifies('S000.gate.session')
    const { postern, advance } = await open({ agents: EVERYONE, sessionGates: [DECISION] })
    await asQuinn(postern).decisions.create({ question: 'Before?', ask: ['justin'], mode: 'soft' })
    advance(1)
    await begin(postern)
    expect(namesIn(await judge(postern)).strict).toEqual(['decision'])
    advance(1)
    await asQuinn(postern).decisions.create({ question: 'Which?', ask: ['justin'], mode: 'soft' })
    expect(namesIn(await judge(postern)).strict).toEqual([])
    advance(1)
    await postern.sessions.setStop({ id: 'ses-1', outcome: 'granted' })
    expect(namesIn(await judge(postern)).strict).toEqual(['decision'])
  })

  rule('asks for a decision of this turn, also after the clock was set back', async () => {
    verifies('S000.gate.session')
    const { postern, advance } = await open({ agents: EVERYONE, sessionGates: [DECISION] })
    await begin(postern)
    await asQuinn(postern).decisions.create({ question: 'Before?', ask: ['justin'], mode: 'soft' })
    advance(1)
    await postern.sessions.setStop({ id: 'ses-1', outcome: 'granted' })
    advance(-1_000_000)
    const note = (event: string) => postern.sessions.note({ id: 'ses-1', agent: 'quinn', event, ageMs: 0 })
    await note('prompt.submit')
    await asQuinn(postern).decisions.create({ question: 'Which?', ask: ['justin'], mode: 'soft' })
    advance(1)
    await note('turn.stop')
    expect(namesIn(await judge(postern)).strict).toEqual([])
  })

  rule('warns once in a session by a soft gate, whether it is one of the session or of the agent', async () => {
    verifies('S000.gate.soft')
    const { postern } = await open({ agents: EVERYONE, sessionGates: [{ ...RULE, mode: 'soft' }] })
    await begin(postern)
    const gate = await gateOf(postern, { mode: 'soft' })
    expect(gate.onUnavailable).toBe('allow')
    expect(namesIn(await judge(postern))).toEqual({ strict: [], soft: [gate.id, 'notes'] })
    await passed(postern, 'warned', gate.id, 'notes')
    expect(await judge(postern)).toEqual(NOTHING)
    expect(namesIn(await judge(postern, { sessionId: 'ses-2' })).soft).toEqual([gate.id, 'notes'])
    expect(await stateOfGate(postern, gate.id)).toBe('open')
    expect(await gateSteps(postern, gate.id)).toEqual(['created', 'warned'])
    expect(await mailUnder(postern, 'justin', 'postern:gate-b')).toEqual([])
  })

  rule('holds the tools that a gate names, and no end of a turn', async () => {
    verifies('S000.gate.tool', 'G8.strict')
    const { postern } = await open({ agents: EVERYONE, sessionGates: [{ ...RULE, hook: 'tool' }] })
    const every = await gateOf(postern, { hook: 'tool', reason: 'no tool' })
    const bash = await gateOf(postern, { hook: 'tool', tool: 'Bash' })
    const github = await gateOf(postern, { hook: 'tool', tool: 'mcp__github__*' })
    const stop = await gateOf(postern)
    const heldAt = async (tool: string) => new Set(namesIn(await judge(postern, { hook: 'tool', tool })).strict)
    expect(await heldAt('Bash')).toEqual(new Set([every.id, bash.id, 'notes']))
    expect(await heldAt('BashOutput')).toEqual(new Set([every.id, 'notes']))
    expect(await heldAt('mcp__github__push')).toEqual(new Set([every.id, github.id, 'notes']))
    expect(namesIn(await judge(postern)).strict).toEqual([stop.id])
    expect(await judge(postern, { agent: 'rex', hook: 'tool', tool: 'Bash' })).toMatchObject({
      strict: [{ name: 'notes' }],
    })
  })

  rule('runs the commands of durable gates, and opens what is met', async () => {
    verifies('G8.strict')
    const { postern } = await open({ agents: EVERYONE })
    const met = await gateOf(postern, { kind: 'command', awaits: 'true' })
    const unmet = await gateOf(postern, { kind: 'command', awaits: 'false' })
    expect(namesIn(await judge(postern)).strict).toEqual([unmet.id])
    await expectTold(postern, 'quinn', `gate:${met.id}`, 'its command succeeded')
  })

  rule('records a breach, tells a person, and holds no more', async () => {
    verifies('G8.recorded', 'G8.breach', 'S000.gate.moves')
    const { postern } = await open({ agents: EVERYONE })
    const gate = await gateOf(postern, { waiters: ['rex'] })
    const after = await gateOf(postern, { agent: 'rex', kind: 'gate', awaits: gate.id })
    await passed(postern, 'blocked', gate.id)
    await useUpStops(postern)
    await passed(postern, 'breached', gate.id, gate.id)
    await passed(postern, 'breached', gate.id)
    expect(await judge(postern)).toEqual(NOTHING)
    expect(await postern.gates.show({ id: gate.id })).toMatchObject({
      gate: { state: 'breached', closedBy: 'local', closedReason: 'it was breached' },
      steps: [{ step: 'created' }, { step: 'blocked', sessionId: 'ses-1' }, { step: 'breached', sessionId: 'ses-1' }],
    })
    await expectTold(postern, 'justin', `postern:gate-breached:${gate.id}`, 'Look at the migration first')
    // Nobody is told that its condition is met, and what waits for it goes on waiting.
    expect(await mailUnder(postern, 'quinn', 'gate:')).toEqual([])
    expect(await mailUnder(postern, 'rex', 'gate:')).toEqual([])
    expect(await stateOfGate(postern, after.id)).toBe('open')
    expect(await gateOf(postern, { kind: 'gate', awaits: gate.id })).toMatchObject({ state: 'open' })
    await asJustin(postern).gates.resolve({ id: gate.id, reason: 'Late, but fine' })
    expect(await gateSteps(postern, gate.id)).toEqual(['created', 'blocked', 'breached', 'resolved'])
    expect(await stateOfGate(postern, after.id)).toBe('resolved')
    await expectTold(postern, 'quinn', `gate:${gate.id}`, 'Late, but fine')
  })

  rule('calls nothing a breach that was granted meanwhile', async () => {
    verifies('G8.breach')
    const { postern } = await open({ agents: EVERYONE })
    const gate = await gateOf(postern)
    await asJustin(postern).gates.resolve({ id: gate.id, reason: 'x' })
    await useUpStops(postern)
    await passed(postern, 'breached', gate.id)
    expect(await stateOfGate(postern, gate.id)).toBe('resolved')
    expect(await mailUnder(postern, 'justin', 'postern:gate-breached')).toEqual([])
  })

  rule('records what was let through unread, leaves it open, and tells a person of every pass', async () => {
    verifies('G8.recorded')
    const { postern } = await open({ agents: EVERYONE, sessionGates: [RULE] })
    await begin(postern)
    await postern.gates.register({ sessionId: 'ses-1', name: 'tests', reason: 'Run the tests' })
    const gate = await gateOf(postern)
    await passed(postern, 'bypassed', gate.id, 'notes', 'tests')
    await passed(postern, 'bypassed', gate.id)
    await passed(postern, 'breached', 'notes')
    expect(await stateOfGate(postern, gate.id)).toBe('open')
    expect(await gateSteps(postern, gate.id)).toEqual(['created', 'bypassed', 'bypassed'])
    expect(await mailUnder(postern, 'justin', `postern:gate-bypassed:${gate.id}`)).toHaveLength(2)
    await expectTold(postern, 'justin', 'postern:gate-bypassed:notes', 'Write notes')
    await expectTold(postern, 'justin', 'postern:gate-bypassed:tests', 'Run the tests')
    await expectTold(postern, 'justin', 'postern:gate-breached:notes', 'was breached in session ses-1')
  })

  rule("notes nothing at another agent's gate", async () => {
    const { postern } = await open({ agents: EVERYONE })
    const gate = await gateOf(postern, { agent: 'rex' })
    for (const outcome of ['blocked', 'warned', 'breached', 'bypassed'] as const)
      await refused(passed(postern, outcome, gate.id), 'GATE_NOT_FOUND')
    expect(await gateSteps(postern, gate.id)).toEqual(['created'])
    expect(await mailUnder(postern, 'justin', 'postern:gate-b')).toEqual([])
  })

  rule('refuses gates of sessions that are not there, and names that are none', async () => {
    const { postern } = await open({ agents: EVERYONE, sessionGates: [RULE] })
    await refused(postern.gates.register({ sessionId: 'ses-1', name: 'tests' }), 'SESSION_NOT_FOUND')
    await refused(postern.gates.mark({ sessionId: 'ses-1', name: 'notes' }), 'SESSION_NOT_FOUND')
    await begin(postern)
    await refused(postern.gates.mark({ sessionId: 'ses-1', name: 'other' }), 'GATE_NOT_FOUND')
    await refused(postern.gates.register({ sessionId: 'ses-1', name: '../x' }), 'VALUE_INVALID')
    await refused(postern.gates.register({ sessionId: '../x', name: 'tests' }), 'SESSION_INVALID')
    await refused(postern.gates.register({ sessionId: 'ses-1', name: 'tests', check: 'a\0b' }), 'TEXT_INVALID')
    await refused(judge(postern, { agent: '../x' }), 'AGENT_ID_INVALID')
    await refused(judge(postern, { hook: 'start' as never }), 'VALUE_INVALID')
    await refused(passed(postern, 'blocked', 'a\0b'), 'TEXT_INVALID')
    for (let i = 0; i < 50; i++) await postern.gates.register({ sessionId: 'ses-1', name: `gate-${i}` })
    await refused(postern.gates.register({ sessionId: 'ses-1', name: 'one-more' }), 'VALUE_INVALID')
    await postern.gates.register({ sessionId: 'ses-1', name: 'gate-1', mode: 'soft' })
  })

  rule('goes with its session', async () => {
    const { postern, advance } = await open({ agents: EVERYONE, limits: { retentionMs: MINUTE_MS } })
    await begin(postern)
    await postern.gates.register({ sessionId: 'ses-1', name: 'tests' })
    await postern.gates.mark({ sessionId: 'ses-1', name: 'tests' })
    advance(60 * MINUTE_MS)
    await postern.upkeep.run()
    await begin(postern)
    expect(await judge(postern)).toEqual(NOTHING)
    expect(await postern.gates.register({ sessionId: 'ses-1', name: 'tests' })).toMatchObject({ markedAt: null })
  })
})
