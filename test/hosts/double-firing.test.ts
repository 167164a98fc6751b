import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { FULL } from '../helpers/tier.ts'
import { settingsOf } from './foreign-hook.ts'
import { occurrences } from './model.ts'
import { CLAUDE, describeReal, makeScene, type Scene } from './scene.ts'

const MARK = 'mark-of-the-message'
const REASON = 'wait-for-the-review'

describeReal.each(CLAUDE)('in $host with every hook installed twice', (driver) => {
  const work = { calls: [driver.callShell('true')] }
  const done = { text: 'done' }

  test('a message is shown once', async () => {
    const scene = await makeScene(driver)
    fireTwice(scene)
    let id = ''
    const { requests } = await scene.run({
      steps: [
        async () => {
          id = await scene.push(MARK, 1)
          return work
        },
        work,
        done,
      ],
    })
    expect(requests.map((request) => occurrences(request, MARK))).toEqual([0, 1, 1])
    expect(await scene.receipt(id)).toMatchObject({ state: 'seen', attempt: 1 })
  })

  test('what waited before the session is shown once', FULL, async () => {
    const scene = await makeScene(driver)
    fireTwice(scene)
    const id = await scene.push(MARK, 2)
    const { requests } = await scene.run({ steps: [work, done] })
    expect(requests.map((request) => occurrences(request, MARK))).toEqual([1, 1])
    expect(await scene.receipt(id)).toMatchObject({ state: 'seen', attempt: 1 })
  })

  test('a stop counts once', FULL, async () => {
    const single = await makeScene(driver)
    const double = await makeScene(driver)
    fireTwice(double)
    const counts: number[] = []
    for (const scene of [single, double]) {
      const words = ['--agent', 'quinn', '--kind', 'human', '--mode', 'strict', '--reason', REASON]
      await scene.ask('gate', 'create', ...words)
      const { requests } = await scene.run({ steps: Array(12).fill(done) })
      counts.push(requests.length)
    }
    expect(counts[0]).toBeGreaterThan(1)
    expect(counts[1]).toBe(counts[0])
  })
})

/** As where one host imports another's hooks. The client runs the same command once only, so the second one differs. */
function fireTwice({ driver, ...place }: Scene): void {
  const settings = settingsOf(driver, place)
  const text = readFileSync(settings, 'utf8')
  const doubled = text.replaceAll(/("command": *"(?:[^"\\]|\\.)+)"/g, '$1 # again"')
  expect(doubled).not.toBe(text)
  writeFileSync(settings.replace('settings.json', 'settings.local.json'), doubled)
}
