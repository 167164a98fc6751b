import { expect } from 'vitest'
import type { NoteEvent, Postern } from '../../src/model/postern.ts'
import { verifies } from '../scenarios/verifies.ts'
import { conformance, refused } from './suite.ts'

const note = async (postern: Postern, event: string, more: Partial<NoteEvent> = {}) =>
  postern.sessions.note({ id: 'ses-1', agent: 'quinn', event, ...more })

conformance('stops that hooks put off without the store', ({ rule, open }) => {
  rule('are counted with the others by the next event of the turn', async () => {
    verifies('S000.event.stops')
    for (const event of ['turn.stop', 'tool.before', 'tool.after', 'prompt.continued']) {
      const { postern } = await open()
      await note(postern, 'prompt.submit')
      await postern.sessions.setStop({ id: 'ses-1', outcome: 'continued' })
      expect((await note(postern, event, { minContinuations: 3 })).session).toMatchObject({ continuations: 3 })
      expect((await note(postern, event)).session).toMatchObject({ continuations: 3 })
      expect(await postern.sessions.setStop({ id: 'ses-1', outcome: 'continued' })).toMatchObject({ continuations: 4 })
    }
  })

  rule('are counted once, however many events of the turn tell of them at the same time', async () => {
    verifies('S000.event.stops')
    const { postern } = await open()
    await note(postern, 'prompt.submit')
    await postern.sessions.setStop({ id: 'ses-1', outcome: 'continued' })
    const tools = Array.from({ length: 4 }, () => note(postern, 'tool.before', { minContinuations: 3 }))
    for (const { session } of await Promise.all(tools)) expect(session).toMatchObject({ continuations: 3 })
  })

  rule('are no part of a turn that begins', async () => {
    verifies('S000.event.stops')
    for (const event of ['prompt.submit', 'session.start']) {
      const { postern } = await open()
      await note(postern, 'turn.stop', { minContinuations: 2 })
      expect((await note(postern, event, { minContinuations: 2 })).session).toMatchObject({ continuations: 0 })
    }
  })

  rule('are refused if they are more than a hook can have put off', async () => {
    const { postern } = await open()
    for (const minContinuations of [-1, 1.5, 2_001, 2 ** 53])
      await refused(note(postern, 'turn.stop', { minContinuations }), 'VALUE_INVALID')
    expect((await note(postern, 'turn.stop', { minContinuations: 100 })).session).toMatchObject({ continuations: 100 })
  })

  rule('are not counted by an event that was answered before', async () => {
    const { postern } = await open()
    await note(postern, 'turn.stop', { firing: 'stop-1', minContinuations: 2 })
    const again = await note(postern, 'turn.stop', { firing: 'stop-1', minContinuations: 2 })
    expect(again).toMatchObject({ isRepeated: true, session: { continuations: 2 } })
  })
})

conformance('the beginning of an event', ({ rule, open }) => {
  rule("is computed from the event's age, by the store's clock", async () => {
    const { postern, now } = await open()
    expect(await note(postern, 'turn.stop', { ageMs: 250 })).toMatchObject({ begunAt: now() - 250 })
    expect(await note(postern, 'turn.stop', { ageMs: 0.5 })).toMatchObject({ begunAt: now() - 1 })
    expect(await note(postern, 'turn.stop')).toMatchObject({ begunAt: null })
  })
})
