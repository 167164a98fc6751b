import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { KnownGates } from '../../src/model/gates.ts'
import type { HookVerbs } from '../../src/model/postern.ts'
import { DEAD_MACHINE_MS } from '../helpers/patience.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { verifies } from '../scenarios/verifies.ts'
import { asJustin, EVERYONE, gateOf, judge } from './gates/people.ts'
import { boxOf, leave, peek, processedOf, project, show } from './handoff/handing.ts'
import { LOCAL_MAKERS } from './makers.ts'
import { conformance, contents, refused, type Suite, tell, type World } from './suite.ts'

const SESSION = 'ses-1'
const NO_GATES = { strict: [], soft: [] }
const STOP = { agent: 'quinn', sessionId: SESSION, hook: 'stop', timeoutMs: DEAD_MACHINE_MS } as const

async function openHooks(
  open: Suite['open'],
  options: Parameters<Suite['open']>[0] = {},
): Promise<World & { readonly hooks: HookVerbs }> {
  const world = await open(options)
  return { ...world, hooks: world.hooks ?? expect.fail('this maker has no verbs for hooks') }
}

conformance(
  'a drain for a hook',
  ({ rule, open }) => {
    rule('offers what waits, and nothing of it to the next drain', async () => {
      const { hooks, postern } = await openHooks(open)
      expect(await hooks.drain({ agent: 'quinn' })).toEqual({ offer: null, messages: [], remaining: 0 })
      await tell(postern, 'quinn', 'one')
      const drained = await hooks.drain({ agent: 'quinn', sessionId: SESSION })
      expect(contents(drained)).toEqual(['one'])
      expect(await postern.inbox.drain({ agent: 'quinn' })).toMatchObject({ offer: null })
      await refused(hooks.drain({ agent: 'nobody' }), 'AGENT_NOT_FOUND')
    })

    rule('stops counting what else waits where it is told to', async () => {
      const { hooks, postern } = await openHooks(open)
      const messages = Array.from({ length: 40 }, (_, at) => ({ to: ['quinn'], content: `${at}` }))
      await postern.inbox.pushMany({ messages })
      const { remaining } = await hooks.drain({ agent: 'quinn', maxMessages: 1, countUpTo: 5 })
      // What the drain itself offers is among the five.
      expect(remaining).toBe(4)
      expect(await postern.inbox.drain({ agent: 'quinn', maxMessages: 1 })).toMatchObject({ remaining: 38 })
    })
  },
  LOCAL_MAKERS,
)

conformance(
  'gates for a hook',
  ({ rule, open }) => {
    rule('are judged, and their passes recorded, in the session of another agent too', async () => {
      const sessionGates = [
        { name: 'notes', hook: 'stop', mode: 'strict', check: null, reason: 'write notes' },
      ] as const
      const { hooks, postern } = await openHooks(open, { agents: EVERYONE, sessionGates })
      await postern.sessions.begin({ id: SESSION, agent: 'rex' })
      await postern.gates.mark({ sessionId: SESSION, name: 'notes' })
      const gate = await gateOf(postern)
      await refused(postern.gates.judge(STOP), 'SESSION_CONFLICT')
      const { strict } = await hooks.judge(STOP)
      expect(strict.map(({ name }) => name)).toEqual([gate.id, 'notes'])
      const names = strict.map(({ name }) => name)
      await refused(postern.gates.passed({ ...STOP, outcome: 'bypassed', names, evidence: 'x' }), 'SESSION_CONFLICT')
      await hooks.passed({ ...STOP, outcome: 'bypassed', names, evidence: 'the store was away' })
      const told = contents(await postern.inbox.drain({ agent: 'justin' })).filter((text) => text.includes('away'))
      expect(told).toHaveLength(2)
    })

    rule('are judged as for any other caller', async () => {
      const { hooks, postern } = await openHooks(open)
      await postern.sessions.begin({ id: SESSION, agent: 'quinn' })
      expect(await hooks.judge(STOP)).toEqual(NO_GATES)
      await gateOf(postern)
      const judged = await hooks.judge(STOP)
      expect(judged.strict).toHaveLength(1)
      expect(judged).toEqual(await judge(postern, STOP))
    })

    rule('of the configuration are judged too', async () => {
      const notes = { name: 'notes', hook: 'stop', mode: 'strict', check: null, reason: 'Write notes' } as const
      const { hooks, postern } = await openHooks(open, { sessionGates: [notes] })
      await postern.sessions.begin({ id: SESSION, agent: 'quinn' })
      expect(await hooks.judge(STOP)).toMatchObject({ strict: [{ name: 'notes' }] })
      expect((await hooks.standing(STOP)).gates).toMatchObject([
        { name: 'notes', mode: 'strict', onUnavailable: 'block' },
      ])
      await postern.gates.mark({ sessionId: SESSION, name: 'notes' })
      expect(await hooks.judge(STOP)).toEqual(NO_GATES)
      expect((await hooks.standing(STOP)).gates).toEqual([])
    })

    rule('stand while they are open, for their own agent', async () => {
      const { hooks, postern } = await openHooks(open, { agents: EVERYONE })
      expect((await hooks.standing(STOP)).gates).toEqual([])
      const { id } = await gateOf(postern)
      expect((await hooks.standing(STOP)).gates).toMatchObject([{ name: id, hook: 'stop', until: null }])
      expect((await hooks.standing({ agent: 'rex', sessionId: 'ses-2' })).gates).toEqual([])
      await asJustin(postern).gates.resolve({ id, reason: 'looked at' })
      expect((await hooks.standing(STOP)).gates).toEqual([])
    })

    rule('tell no more of their reasons than a hook shows, for it writes them down for each session', async () => {
      const { hooks, postern } = await openHooks(open)
      await gateOf(postern, { reason: '😀'.repeat(500) })
      const [gate] = (await hooks.standing(STOP)).gates
      expect(gate?.reason).toHaveLength(600)
      expect(gate?.reason).toBe('😀'.repeat(300))
    })

    rule('of another store, or that this one has never known, show that it was replaced', async () => {
      verifies('G8.replaced')
      const { hooks, postern } = await openHooks(open)
      const { id } = await gateOf(postern)
      const { gates, store } = await hooks.standing(STOP)
      const isReplaced = async (known: Partial<KnownGates>) =>
        (await hooks.standing({ ...STOP, known: { gates, store, changedAt: Date.now(), ...known } })).isReplaced
      expect(await isReplaced({})).toBe(false)
      expect(await isReplaced({ store: 'another' })).toBe(true)
      const lost = gates.map((gate) => ({ ...gate, name: `${id}X` }))
      expect(await isReplaced({ gates: lost })).toBe(true)
      expect(await isReplaced({ gates: lost.map((gate) => ({ ...gate, mode: 'soft' }) as const) })).toBe(false)
      await asJustin(postern).gates.resolve({ id, reason: 'looked at' })
      expect(await isReplaced({})).toBe(false)
    })

    rule('of a session that this store has lost show that an older backup took its place', async () => {
      verifies('G8.replaced')
      const { hooks, postern, tamper } = await openHooks(open, { agents: EVERYONE })
      await postern.sessions.begin({ id: SESSION, agent: 'quinn' })
      await asJustin(postern).gates.register({ sessionId: SESSION, name: 'notes' })
      const { gates, store } = await hooks.standing(STOP)
      const isReplaced = async (more: object = {}) => {
        const known = gates.map((gate) => ({ ...gate, ...more }))
        return (await hooks.standing({ ...STOP, known: { gates: known, store, changedAt: Date.now() } })).isReplaced
      }
      await postern.gates.mark({ sessionId: SESSION, name: 'notes' })
      expect(await isReplaced()).toBe(false)
      await tamper('DELETE FROM session_gates')
      expect(await isReplaced()).toBe(true)
      expect(await isReplaced({ mode: 'soft' })).toBe(false)
      // A gate that the configuration has lost since was never in the store.
      expect(await isReplaced({ createdBy: 'configuration' })).toBe(false)
    })

    rule('that a command decides stand without the command being run', async () => {
      const trace = join(temporaryFolder(), 'was-run')
      const check = `touch ${trace}`
      const tests = { name: 'tests', hook: 'stop', mode: 'strict', check, reason: 'Run the tests' } as const
      const { hooks, postern } = await openHooks(open, { sessionGates: [tests] })
      await postern.sessions.begin({ id: SESSION, agent: 'quinn' })
      expect((await hooks.standing(STOP)).gates).toMatchObject([{ name: 'tests' }])
      expect(existsSync(trace)).toBe(false)
      expect(await hooks.judge(STOP)).toEqual(NO_GATES)
      expect(existsSync(trace)).toBe(true)
    })
  },
  LOCAL_MAKERS,
)

conformance(
  'an inheritance for a hook',
  ({ rule, open }) => {
    const begin = async () => {
      const world = await openHooks(open)
      const root = await project(world.postern)
      await world.postern.sessions.begin({ id: SESSION, agent: 'quinn' })
      const { name } = await leave(world.postern, root, 'Rotate the tokens.')
      const isMoved = () => [existsSync(join(boxOf(root), name)), existsSync(join(processedOf(root), name))]
      return { ...world, root, isMoved }
    }
    const settle = (hooks: HookVerbs, more: { readonly ageMs?: number; readonly isOver?: boolean } = {}) =>
      hooks.settleInheritances({ sessionId: SESSION, ageMs: 0, isOver: false, ...more })

    rule('is remembered as offered to its session', async () => {
      const { hooks, postern, root } = await begin()
      expect(await hooks.hasInherited({ sessionId: SESSION })).toBe(false)
      await show(postern, root, { agent: 'quinn', session: SESSION })
      expect(await hooks.hasInherited({ sessionId: SESSION })).toBe(true)
      expect(await hooks.hasInherited({ sessionId: 'ses-2' })).toBe(false)
    })

    rule('is confirmed by the next event of the session that was shown it', async () => {
      const { hooks, postern, root, advance, isMoved } = await begin()
      await settle(hooks)
      await show(postern, root, { agent: 'quinn', session: SESSION })
      advance(1_000)
      await settle(hooks, { ageMs: 2_000 })
      expect(isMoved()).toEqual([true, false])
      await settle(hooks)
      expect(isMoved()).toEqual([false, true])
      await settle(hooks)
    })

    rule('is not confirmed before it was printed, and is given back when the session ends', async () => {
      const { hooks, postern, root, advance, isMoved } = await begin()
      await postern.handoff.inherit({ project: root, agent: 'quinn', session: SESSION })
      advance(1_000)
      await settle(hooks)
      expect(isMoved()).toEqual([true, false])
      expect(await peek(postern, root)).toEqual([])
      await settle(hooks, { isOver: true })
      expect(await peek(postern, root)).toEqual(['Rotate the tokens.'])
    })

    rule('of nothing is told once, and not while something is shown', async () => {
      const { hooks, postern, root, advance } = await begin()
      expect(await hooks.isTold({ sessionId: SESSION })).toBe(false)
      expect(await hooks.isTold({ sessionId: SESSION })).toBe(true)
      advance(60_000)
      expect(await hooks.isTold({ sessionId: SESSION })).toBe(false)
      advance(60_000)
      await show(postern, root, { agent: 'quinn', session: SESSION })
      expect(await hooks.isTold({ sessionId: SESSION })).toBe(true)
    })
  },
  LOCAL_MAKERS,
)
