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
      expect((await note(postern, event, { uncounted: 2 })).session).toMatchObject({ continuations: 3 })
      expect((await note(postern, event)).session).toMatchObject({ continuations: 3 })
      expect(await postern.sessions.setStop({ id: 'ses-1', outcome: 'continued' })).toMatchObject({ continuations: 4 })
    }
  })

  rule('are not counted in a turn that begins', async () => {
    verifies('S000.event.stops')
    for (const event of ['prompt.submit', 'session.start']) {
      const { postern } = await open()
      await note(postern, 'turn.stop', { uncounted: 2 })
      expect((await note(postern, event, { uncounted: 2 })).session).toMatchObject({ continuations: 0 })
    }
  })

  rule('are refused if they are more than a hook can have put off', async () => {
    const { postern } = await open()
    for (const uncounted of [-1, 1.5, 101, 2 ** 53])
      await refused(note(postern, 'turn.stop', { uncounted }), 'VALUE_INVALID')
    expect((await note(postern, 'turn.stop', { uncounted: 100 })).session).toMatchObject({ continuations: 100 })
  })

  rule('are not counted by an event that was answered before', async () => {
    const { postern } = await open()
    await note(postern, 'turn.stop', { firing: 'stop-1', uncounted: 2 })
    const again = await note(postern, 'turn.stop', { firing: 'stop-1', uncounted: 2 })
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
