import { expect, test } from 'vitest'
import { FULL } from '../helpers/tier.ts'
import { occurrences } from './model.ts'
import { CLAUDE, CODEX, describeAtTerminal, describeReal, makeScene, repeatedBy } from './scene.ts'
import { openSession, until } from './terminal.ts'

const MARK = 'mark-of-the-message'
const done = { text: 'done' }

describeAtTerminal.each([...CLAUDE, ...CODEX])('in $host', (driver) => {
  test('an idle session is woken by a push, and the woken turn has the message, once', repeatedBy(driver), async () => {
    const scene = await makeScene(driver)
    const session = await openSession(driver, scene, [done, done, done])
    await session.enter('hello')
    await session.model.asked.times(1)
    await until('the session to be idle', () => scene.isIdle(), session.screen)

    const id = await scene.push(MARK, 2)
    await until('the session to be woken', () => session.model.requests.length > 1, session.screen)
    await until('the receipt', async () => (await scene.receipt(id)).state === 'seen', session.screen)
    await until('the session to be idle again', () => scene.isIdle(), session.screen)
    expect(session.model.requests.map((request) => occurrences(request, MARK))).toEqual([0, 1])
  })
})

describeAtTerminal.each(CLAUDE)('in $host', (driver) => {
  test('a session that was never prompted is woken too', FULL, async () => {
    const scene = await makeScene(driver)
    const session = await openSession(driver, scene, [done, done])
    await until('the session to be known', async () => (await scene.session()) !== null, session.screen)
    await scene.push(MARK, 2)
    await until('the session to be woken', () => session.model.requests.length > 0, session.screen)
    expect(occurrences(session.model.requests[0], MARK)).toBe(1)
  })

  test('a session is woken as often as something comes', FULL, async () => {
    const scene = await makeScene(driver)
    const session = await openSession(driver, scene, [done, done, done, done])
    await session.enter('hello')
    for (const round of [1, 2]) {
      // Until the prompt's own hook has run it is idle too, and that hook shows what has come by then: nobody is woken.
      await session.model.asked.times(round)
      await until('the session to be idle', () => scene.isIdle(), session.screen)
      await scene.push(`${MARK}-${round}`, 2)
      await until('the session to be woken', () => session.model.requests.length > round, session.screen)
    }
    const last = session.model.requests.at(-1)
    expect([occurrences(last, `${MARK}-1`), occurrences(last, `${MARK}-2`)]).toEqual([1, 1])
  })
})

describeReal.each(CLAUDE)('in $host', (driver) => {
  test('nothing that waits for mail keeps a run that nobody attends from ending', async () => {
    const scene = await makeScene(driver)
    // A run that waits for mail is ended as one that takes too long, and fails.
    await scene.run({ steps: [done] })
  })
})
