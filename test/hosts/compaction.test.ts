import { expect, test } from 'vitest'
import { FULL } from '../helpers/tier.ts'
import { occurrences } from './model.ts'
import { CLAUDE, CODEX, describeAtTerminal, describeReal, makeScene, repeatedBy } from './scene.ts'
import { openSession, until } from './terminal.ts'

const BEFORE = 'mark-before-the-compaction'
const MEANWHILE = 'mark-while-it-compacts'
const AT_LAST = 'mark-at-the-last-moment'

const SUMMARY = { text: '<analysis>none</analysis>\n<summary>in-short</summary>' }
/** More than any model holds: the client compacts before it asks again. */
const TOO_MANY_TOKENS = 990_000
const done = { text: 'done' }

describeAtTerminal.each(CLAUDE)('in $host', (driver) => {
  test('a compaction that was asked for loses nothing and repeats nothing', FULL, async () => {
    const scene = await makeScene(driver)
    const ids: string[] = []
    const session = await openSession(driver, scene, [
      async () => {
        ids.push(await scene.push(BEFORE, 2))
        return done
      },
      done,
      // The summariser is a model too: what comes while it works must not go to it.
      async () => {
        ids.push(await scene.push(MEANWHILE, 2))
        return SUMMARY
      },
      done,
      done,
      done,
    ])
    await session.enter('hello')
    await session.model.asked.times(2)
    await until('the session to be idle', () => scene.isIdle(), session.screen)
    await session.enter('/compact')
    await session.model.asked.times(3)
    await until('the compaction', () => session.screen().includes('Compacted'), session.screen)
    await session.enter('go on')
    await until('the message', () => occurrences(session.model.requests.at(-1), MEANWHILE) > 0, session.screen)
    await until('the receipts', async () => {
      const receipts = await Promise.all(ids.map((id) => scene.receipt(id)))
      return receipts.every(({ state }) => state === 'seen')
    })

    const [, shown, summarised, ...after] = session.model.requests
    expect(occurrences(shown, BEFORE)).toBe(1)
    expect(occurrences(summarised, MEANWHILE)).toBe(0)
    const last = after.at(-1)
    expect(occurrences(last, 'in-short')).toBe(1)
    expect(occurrences(last, MEANWHILE)).toBe(1)
    expect(occurrences(last, BEFORE)).toBe(0)
    for (const id of ids) expect((await scene.receipt(id)).attempt).toBe(1)
  })
})

describeReal.each([...CLAUDE, ...CODEX])('in $host', (driver) => {
  const work = { calls: [driver.callShell('true')] }

  test(
    'what was shown just before the client compacts by itself is in the request after it, once',
    repeatedBy(driver),
    async () => {
      const scene = await makeScene(driver)
      let id = ''
      const beforeCompaction = async () => {
        id = await scene.push(AT_LAST, 1)
        return { ...work, inputTokens: TOO_MANY_TOKENS }
      }
      // Codex asks for its summary without tools, so that takes no step.
      const summary = driver.host === 'codex' ? [] : [SUMMARY]
      const { requests } = await scene.run({ steps: [work, beforeCompaction, ...summary, work, done] })
      const later = requests.slice(-2)
      expect(later.map((request) => occurrences(request, AT_LAST))).toEqual([1, 1])
      expect(await scene.receipt(id)).toMatchObject({ state: 'seen' })
    },
  )
})
