import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeOld, makeRepository, namesIn } from '../../../test/helpers/handoff/projects.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { openContext } from '../../host/open/context.ts'
import { openEmbedded } from '../../host/open/store.ts'
import { createPostern } from '../postern.ts'

/** A session that is offered one item, and the hooks of its host. */
async function openOffered() {
  const clock = { now: Date.UTC(2026, 0, 15, 9) }
  const { store, wire } = await openEmbedded(join(temporaryFolder(), 'postern.db'), { now: () => clock.now })
  const { ctx, close } = openContext(store, wire, {})
  const postern = createPostern(ctx, close)
  onTestFinished(() => postern.close())
  await postern.agents.add({ id: 'quinn' })
  await postern.sessions.begin({ id: 's', agent: 'quinn' })
  const project = makeRepository(join(temporaryFolder(), 'atlas'))
  await postern.handoff.init({ project })
  makeOld((await postern.handoff.leave({ project, type: 'learning', text: 'one' })).path)
  const { handoff, hooks } = postern
  const inherit = () => handoff.inherit({ project, agent: 'quinn', session: 's' })
  const { id } = await inherit()
  const processed = () => namesIn(join(project, 'inbox', 'processed')).length
  return { clock, handoff, hooks, inherit, processed, id: id ?? expect.fail('nothing was offered') }
}

const GOES_ON = { sessionId: 's', ageMs: 10, isOver: false }
const IS_OVER = { sessionId: 's', ageMs: 10, isOver: true }

describe('what a session was shown', () => {
  it('is inherited with the first event that began after it was printed', async () => {
    const { clock, handoff, hooks, processed, id } = await openOffered()
    clock.now += 1_000
    await handoff.printed({ id })
    clock.now += 10
    await hooks.settleInheritances(GOES_ON)
    expect(processed()).toBe(0)
    clock.now += 1
    await hooks.settleInheritances(GOES_ON)
    await hooks.settleInheritances(GOES_ON)
    expect(processed()).toBe(1)
  })

  it('is never inherited where it was not printed', async () => {
    const { clock, hooks, processed } = await openOffered()
    clock.now += 1_000
    await hooks.settleInheritances(GOES_ON)
    expect(processed()).toBe(0)
  })

  it('is given back where the session is over, unless that began before', async () => {
    const { clock, handoff, hooks, inherit, processed, id } = await openOffered()
    await handoff.printed({ id })
    await hooks.settleInheritances(IS_OVER)
    expect(await inherit()).toMatchObject({ id: null })
    clock.now += 1_000
    await hooks.settleInheritances(IS_OVER)
    expect(processed()).toBe(0)
    expect(await inherit()).toMatchObject({ items: [{ body: 'one' }] })
  })

  it('is known to have been offered, also when all of that is over', async () => {
    const { handoff, hooks, id } = await openOffered()
    expect(await hooks.hasInherited({ sessionId: 'other' })).toBe(false)
    expect(await hooks.hasInherited({ sessionId: 's' })).toBe(true)
    await handoff.release({ id, reason: 'it does not fit' })
    expect(await hooks.hasInherited({ sessionId: 's' })).toBe(true)
  })
})
