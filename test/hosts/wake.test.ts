import { expect, test } from 'vitest'
import { occurrences } from './model.ts'
import { CLAUDE, describeAtTerminal, makeScene } from './scene.ts'
import { openSession, until } from './terminal.ts'

const MARK = 'mark-of-the-message'
const SOON_MS = 10_000
const done = { text: 'done' }

describeAtTerminal.each(CLAUDE)('in $host', (driver) => {
  test('an idle session is woken by a push, and the woken turn has the message, once', async () => {
    const scene = await makeScene(driver)
    const session = await openSession(driver, scene, [done, done, done])
    await session.enter('hello')
    await session.model.asked.times(1)
    await until('the session to be idle', () => scene.isIdle(), session.screen)

    const pushedAt = performance.now()
    const id = await scene.push(MARK, 2)
    const requests = await session.model.asked.times(2)
    expect(performance.now() - pushedAt).toBeLessThan(SOON_MS)
    expect(requests.map((request) => occurrences(request, MARK))).toEqual([0, 1])
    await until('the receipt', async () => (await scene.receipt(id)).state === 'seen')
  })

  test('a session that was never prompted is woken too', async () => {
    const scene = await makeScene(driver)
    const session = await openSession(driver, scene, [done, done])
    await until('the session to be known', async () => (await scene.session()) !== null, session.screen)
    await scene.push(MARK, 2)
    const [request] = await session.model.asked.times(1)
    expect(occurrences(request, MARK)).toBe(1)
  })
})
