import { expect } from 'vitest'
import { processStart } from '../../src/kit/node/processes.ts'
import type { NoteEvent, Postern } from '../../src/model/postern.ts'
import type { Store, TransactOptions } from '../../src/store/store.ts'
import { storeWith } from '../helpers/store-with.ts'
import { verifies } from '../scenarios/verifies.ts'
import { EVERYONE, mailUnder } from './gates/people.ts'
import { conformance, contents, refused, show, stateOf, stepsOf, tell } from './suite.ts'

const FIRED_WITHIN_MS = 10_000

const note = (postern: Postern, event: string, more: Partial<NoteEvent> = {}) =>
  postern.sessions.note({ id: 'ses-1', agent: 'quinn', event, ...more })

conformance('events of a session', ({ rule, open }) => {
  rule('registers the session with its first event, and remembers where it lives', async () => {
    const { postern, now, advance } = await open()
    const { pid } = globalThis.process
    const process = { host: 'codex', pid, pidStartedAt: processStart(pid) ?? 0, project: '/projects/a' }
    const { session, isRepeated, confirmed } = await note(postern, 'session.start', process)
    expect(session).toMatchObject({ id: 'ses-1', agent: 'quinn', ...process, startedAt: now(), endedAt: null })
    expect({ isRepeated, confirmed }).toEqual({ isRepeated: false, confirmed: 0 })
    advance(1_000)
    // A session stays in the project in which it began, wherever its agent walks meanwhile.
    const later = await note(postern, 'tool.before', { project: '/projects/b' })
    expect(later.session).toMatchObject({ ...process, startedAt: now() - 1_000, lastEventAt: now() })
    expect(await postern.sessions.list({ agent: 'quinn' })).toMatchObject([later.session])
  })

  rule('does not confirm by a tool what another of the same batch may have shown', async () => {
    verifies('mcp.shown')
    const { postern, advance } = await open()
    const id = await tell(postern, 'quinn', 'by a tool')
    await show(postern, { agent: 'quinn', sessionId: 'ses-1', via: 'mcp' })
    advance(100)
    expect(await note(postern, 'tool.after', { ageMs: 10 })).toMatchObject({ confirmed: 0 })
    expect(await stateOf(postern, id)).toBe('offered')
    expect(await note(postern, 'tool.before', { ageMs: 10 })).toMatchObject({ confirmed: 0 })
    expect(await stateOf(postern, id)).toBe('offered')
    expect(await note(postern, 'turn.stop', { ageMs: 10 })).toMatchObject({ confirmed: 1 })
    expect(await stateOf(postern, id)).toBe('seen')
  })

  rule('confirms only what was printed before the event began', async () => {
    verifies('G4.earlier-event')
    const { postern, advance } = await open()
    const early = await tell(postern, 'quinn', 'early')
    await show(postern, { agent: 'quinn', sessionId: 'ses-1' })
    advance(2_000)
    const late = await tell(postern, 'quinn', 'late')
    await show(postern, { agent: 'quinn', sessionId: 'ses-1' })
    advance(100)
    // It began a second ago, when only the first had been printed.
    expect(await note(postern, 'tool.after', { ageMs: 1_000 })).toMatchObject({ confirmed: 1 })
    expect(await stateOf(postern, early)).toBe('seen')
    expect(await stateOf(postern, late)).toBe('offered')
    expect(await note(postern, 'turn.stop', { ageMs: 50 })).toMatchObject({ confirmed: 1 })
    expect(await stateOf(postern, late)).toBe('seen')
    expect(await stepsOf(postern, late)).toEqual(['stored', 'offered', 'printed', 'seen'])
  })

  rule('confirms nothing that was never printed, nothing of another session, and nothing without an age', async () => {
    verifies('G4.printed-only')
    const { postern, advance } = await open()
    const unprinted = await tell(postern, 'quinn', 'unprinted')
    await postern.inbox.drain({ agent: 'quinn', sessionId: 'ses-1' })
    const foreign = await tell(postern, 'quinn', 'foreign')
    await show(postern, { agent: 'quinn', sessionId: 'ses-2' })
    const own = await tell(postern, 'quinn', 'own')
    await show(postern, { agent: 'quinn', sessionId: 'ses-1' })
    advance(10)
    expect(await note(postern, 'prompt.submit')).toMatchObject({ confirmed: 0 })
    expect(await note(postern, 'prompt.submit', { ageMs: 5 })).toMatchObject({ confirmed: 1 })
    expect(await stateOf(postern, own)).toBe('seen')
    for (const id of [unprinted, foreign]) expect(await stateOf(postern, id)).toBe('offered')
  })

  rule('gives back what was lost before the model read it', async () => {
    const { postern, advance } = await open()
    const id = await tell(postern, 'quinn', 'hello')
    await show(postern, { agent: 'quinn', sessionId: 'ses-1' })
    advance(10)
    expect(await note(postern, 'compact.before', { ageMs: 5, loses: true })).toMatchObject({ confirmed: 0 })
    expect(await stateOf(postern, id)).toBe('pending')
    expect(contents(await postern.inbox.drain({ agent: 'quinn' }))).toEqual(['hello'])
  })

  rule('recognises the same firing within ten seconds, and takes it for a new one afterwards', async () => {
    verifies('S000.event.twice')
    const { postern, advance } = await open()
    const fire = async (firing: string, id = 'ses-1') => (await note(postern, 'turn.stop', { firing, id })).isRepeated
    expect(await fire('stop-1')).toBe(false)
    advance(FIRED_WITHIN_MS)
    expect(await fire('stop-1')).toBe(true)
    expect(await fire('stop-2')).toBe(false)
    expect(await fire('stop-1', 'ses-2')).toBe(false)
    advance(1)
    expect(await fire('stop-1')).toBe(false)
    expect(await fire('stop-2')).toBe(true)
    expect((await note(postern, 'turn.stop')).isRepeated).toBe(false)
  })

  rule('confirms and counts nothing by a repeated firing', async () => {
    verifies('S000.event.twice')
    const { postern, advance } = await open()
    await note(postern, 'prompt.submit', { firing: 'prompt-1' })
    await postern.sessions.setStop({ id: 'ses-1', outcome: 'continued' })
    const id = await tell(postern, 'quinn', 'hello')
    await show(postern, { agent: 'quinn', sessionId: 'ses-1' })
    advance(10)
    const repeated = await note(postern, 'prompt.submit', { firing: 'prompt-1', ageMs: 5 })
    expect(repeated).toMatchObject({ isRepeated: true, confirmed: 0, session: { continuations: 1 } })
    expect(await stateOf(postern, id)).toBe('offered')
  })

  rule('goes on after the clock was set back', async () => {
    const { postern, advance } = await open()
    await note(postern, 'turn.stop', { firing: 'stop' })
    advance(-3_600_000)
    expect(await note(postern, 'turn.stop', { firing: 'stop' })).toMatchObject({ isRepeated: false })
    expect(await note(postern, 'turn.stop', { firing: 'stop' })).toMatchObject({ isRepeated: true })
  })

  rule('confirms what was printed before the clock was set back', async () => {
    const { postern, advance } = await open()
    const id = await tell(postern, 'quinn', 'hello')
    await show(postern, { agent: 'quinn', sessionId: 'ses-1' })
    advance(-3_600_000)
    expect(await note(postern, 'tool.before', { ageMs: 5 })).toMatchObject({ confirmed: 1 })
    expect(await stateOf(postern, id)).toBe('seen')
    const next = await tell(postern, 'quinn', 'on')
    await show(postern, { agent: 'quinn', sessionId: 'ses-1' })
    advance(-3_600_000)
    const event = { sessionId: 'ses-1', printedBefore: 1, evidence: 'the next event' }
    expect(await postern.inbox.confirmSession(event)).toBe(1)
    expect(await stateOf(postern, next)).toBe('seen')
  })

  rule('has begun and rested before an event, also if the clock was set back since', async () => {
    const { postern, advance, now } = await open()
    await note(postern, 'session.start')
    for (const outcome of ['granted', 'continued'] as const) await postern.sessions.setStop({ id: 'ses-1', outcome })
    advance(-3_600_000)
    const before = now() - 6
    const { session } = await note(postern, 'turn.stop', { ageMs: 5 })
    expect(session).toMatchObject({ startedAt: before, stoppedAt: before, continuedAt: before, continuations: 1 })
    const [known] = await postern.sessions.list({ id: 'ses-1' })
    expect(known).toMatchObject({ startedAt: before, stoppedAt: before, continuedAt: before })
  })

  rule('counts how often a stop was put off, until a prompt or a granted stop', async () => {
    verifies('S000.event.stops')
    const { postern, now, advance } = await open()
    const stop = (outcome: 'continued' | 'granted') => postern.sessions.setStop({ id: 'ses-1', outcome })
    await note(postern, 'prompt.submit')
    expect(await stop('continued')).toMatchObject({ continuations: 1, idleSince: null })
    await note(postern, 'tool.before')
    await note(postern, 'tool.after')
    await note(postern, 'prompt.continued')
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn' })
    expect(await stop('continued')).toMatchObject({ continuations: 2, stoppedAt: null })
    expect((await note(postern, 'turn.stop')).session).toMatchObject({ continuations: 2 })
    expect((await note(postern, 'prompt.submit')).session).toMatchObject({ continuations: 0 })
    expect(await stop('continued')).toMatchObject({ continuations: 1 })
    advance(5)
    expect(await stop('granted')).toMatchObject({ continuations: 0, idleSince: now(), stoppedAt: now() })
    const [session] = await postern.sessions.list({ agent: 'quinn' })
    expect(session).toMatchObject({ continuations: 0, idleSince: now(), stoppedAt: now() })
  })

  rule('counts one of two stops that were answered at the same time', async () => {
    verifies('S000.event.twice')
    const { postern, advance } = await open()
    await note(postern, 'prompt.submit')
    const stop = (ageMs: number) => postern.sessions.setStop({ id: 'ses-1', outcome: 'continued', ageMs })
    expect(await stop(50.5)).toMatchObject({ continuations: 1 })
    advance(20)
    expect(await stop(50.5)).toMatchObject({ continuations: 1 })
    // It had looked at the clock first and waited for the other.
    advance(-5)
    expect(await stop(50.5)).toMatchObject({ continuations: 1 })
    advance(105)
    expect(await stop(50)).toMatchObject({ continuations: 2 })
    advance(-3_600_000)
    expect(await stop(50)).toMatchObject({ continuations: 3 })
  })

  rule('rests from a granted stop until the next prompt or tool', async () => {
    const { postern, now, advance } = await open()
    expect((await note(postern, 'session.start')).session).toMatchObject({ idleSince: now() })
    for (const event of ['prompt.submit', 'tool.before', 'tool.after']) {
      advance(5)
      await postern.sessions.setStop({ id: 'ses-1', outcome: 'granted' })
      expect((await note(postern, 'compact.before')).session).toMatchObject({ idleSince: now() })
      expect((await note(postern, event)).session).toMatchObject({ idleSince: null, stoppedAt: now() })
    }
  })

  rule('tells a person when an agent is let go with mail unread', async () => {
    verifies('S000.event.stops')
    const { postern } = await open({ agents: EVERYONE })
    await note(postern, 'prompt.submit')
    const release = () => postern.sessions.setStop({ id: 'ses-1', outcome: 'released' })
    await postern.sessions.setStop({ id: 'ses-1', outcome: 'continued' })
    await release()
    expect(await mailUnder(postern, 'justin', 'postern:stop-released')).toEqual([])
    await tell(postern, 'quinn', 'hello')
    await postern.sessions.setStop({ id: 'ses-1', outcome: 'continued' })
    expect(await release()).toMatchObject({ continuations: 0, idleSince: expect.any(Number) })
    expect(await mailUnder(postern, 'justin', 'postern:stop-released')).toMatchObject([
      { content: expect.stringContaining('although one message waits for it') },
    ])
  })

  rule('tells of a release once, and of no mail that would have waited anyway', async () => {
    verifies('S000.event.stops')
    const { postern, advance } = await open({ agents: EVERYONE })
    await note(postern, 'prompt.submit')
    const stop = (outcome: 'continued' | 'released') => postern.sessions.setStop({ id: 'ses-1', outcome })
    await postern.inbox.push({ to: ['quinn'], content: 'low', priority: 3 })
    await stop('continued')
    await stop('released')
    expect(await mailUnder(postern, 'justin', 'postern:stop-released')).toEqual([])
    await tell(postern, 'quinn', 'one')
    await tell(postern, 'quinn', 'two')
    // The same stop answered by two hooks, at once and one after the other: the second finds that it was let go.
    await stop('continued')
    await Promise.all([stop('released'), stop('released')])
    advance(5)
    await stop('released')
    expect(await mailUnder(postern, 'justin', 'postern:stop-released')).toMatchObject([
      { content: expect.stringContaining('although 2 messages wait for it') },
    ])
    await refused(postern.sessions.setStop({ id: 'ses-2', outcome: 'released' }), 'SESSION_NOT_FOUND')
  })

  rule('loses what was printed before the event began, once, and nothing else', async () => {
    const { postern, advance } = await open()
    const early = await tell(postern, 'quinn', 'early')
    await show(postern, { agent: 'quinn', sessionId: 'ses-1' })
    advance(2_000)
    const late = await tell(postern, 'quinn', 'late')
    await show(postern, { agent: 'quinn', sessionId: 'ses-1' })
    const foreign = await tell(postern, 'quinn', 'foreign')
    await show(postern, { agent: 'quinn', sessionId: 'ses-2' })
    advance(100)
    const lose = () => note(postern, 'compact.before', { ageMs: 1_000, loses: true, firing: 'compact-1' })
    expect(await lose()).toMatchObject({ isRepeated: false, confirmed: 0 })
    expect(await lose()).toMatchObject({ isRepeated: true })
    expect(await stateOf(postern, early)).toBe('pending')
    for (const id of [late, foreign]) expect(await stateOf(postern, id)).toBe('offered')
    expect(await stepsOf(postern, early)).toEqual(['stored', 'offered', 'printed', 'released'])
  })

  rule('waits for the disk only where something is confirmed', async () => {
    verifies('S000.event.light')
    const asked: (TransactOptions | undefined)[] = []
    const through = (store: Store) =>
      storeWith(store, {
        transact(verb, options) {
          asked.push(options)
          return store.transact(verb, options)
        },
      })
    const { postern, advance } = await open({ through })
    await note(postern, 'session.start', { ageMs: 0 })
    await tell(postern, 'quinn', 'hello')
    await show(postern, { agent: 'quinn', sessionId: 'ses-1' })
    advance(10)
    const isDurable = async (act: () => Promise<unknown>) => {
      asked.length = 0
      await act()
      expect(asked).toHaveLength(1)
      return asked[0]?.isDurable ?? true
    }
    expect(await isDurable(() => note(postern, 'tool.after', { ageMs: 10 }))).toBe(false)
    expect(await isDurable(() => note(postern, 'tool.after', { ageMs: 5 }))).toBe(true)
    expect(await isDurable(() => note(postern, 'tool.after', { ageMs: 5 }))).toBe(false)
    expect(await isDurable(() => postern.sessions.setStop({ id: 'ses-1', outcome: 'continued' }))).toBe(false)
    expect(await isDurable(() => postern.sessions.setStop({ id: 'ses-1', outcome: 'granted' }))).toBe(false)
    expect(await isDurable(() => postern.sessions.setStop({ id: 'ses-1', outcome: 'released' }))).toBe(true)
  })

  rule('refuses what is no session, no agent, no age, or somebody else’s', async () => {
    const { postern } = await open({ agents: EVERYONE })
    await refused(note(postern, 'turn.stop', { id: '../x' }), 'SESSION_INVALID')
    await refused(note(postern, 'turn.stop', { agent: 'nobody' }), 'AGENT_NOT_FOUND')
    await refused(note(postern, 'x'.repeat(101)), 'CONTENT_TOO_LARGE')
    await refused(note(postern, 'turn.stop', { firing: 'a\0b' }), 'TEXT_INVALID')
    for (const ageMs of [-1, Number.NaN, 1e300, Number.POSITIVE_INFINITY]) {
      await refused(postern.sessions.setStop({ id: 'ses-1', outcome: 'continued', ageMs }), 'VALUE_INVALID')
    }
    const printedBefore = 1e300
    const early = postern.inbox.confirmSession({ sessionId: 'ses-1', printedBefore, evidence: 'x' })
    await refused(early, 'VALUE_INVALID')
    for (const ageMs of [-1, Number.NaN, 1e300]) await refused(note(postern, 'turn.stop', { ageMs }), 'VALUE_INVALID')
    await refused(postern.sessions.setStop({ id: 'ses-1', outcome: 'granted' }), 'SESSION_NOT_FOUND')
    await refused(postern.sessions.setStop({ id: '../x', outcome: 'granted' }), 'SESSION_INVALID')
    expect(await postern.sessions.list()).toEqual([])
    await note(postern, 'turn.stop')
    await refused(note(postern, 'turn.stop', { agent: 'rex' }), 'SESSION_CONFLICT')
  })
})
