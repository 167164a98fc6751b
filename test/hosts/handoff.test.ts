import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { occurrences } from './model.ts'
import { CLAUDE, describeReal, makeScene } from './scene.ts'

const MARK = 'mark-of-the-item'
const NOTHING = 'No inheritance items'
const done = { text: 'done' }

describeReal.each(CLAUDE)('in $host', (driver) => {
  const work = { calls: [driver.callShell('true')] }

  test('an item left by one session is in the first request of the next, once, and moves to processed', async () => {
    const scene = await makeScene(driver)
    await scene.ask('handoff', 'init')
    const [inbox, processed] = [join(scene.project, 'inbox'), join(scene.project, 'inbox', 'processed')]
    const itemsIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.md'))

    const leave = `"${process.execPath}" "${inject('executable')}" handoff leave --type learning ${MARK}`
    const first = await scene.run({ steps: [{ calls: [driver.callShell(leave)] }, done] })
    expect(first.requests.map((request) => occurrences(request, NOTHING))).toEqual([1, 1])
    const [name = ''] = itemsIn(inbox)
    expect(readFileSync(join(inbox, name), 'utf8')).toContain(`\nfrom_session: ${first.session}\n`)

    const moved: string[][] = []
    const look = async () => {
      moved.push(itemsIn(processed))
      return work
    }
    const next = await scene.run({ steps: [look, done] })
    expect(next.requests.map((request) => occurrences(request, MARK))).toEqual([1, 1])
    // The conversation is JSON, so a line end is two characters.
    expect(occurrences(next.requests[0], `├─ [learning from ${first.session}]\\n│ ${MARK}`)).toBe(1)
    // The prompt showed that the session goes on.
    expect([moved, itemsIn(inbox), itemsIn(processed)]).toEqual([[[name]], [], [name]])

    const third = await scene.run({ steps: [done] })
    expect([occurrences(third.requests[0], MARK), occurrences(third.requests[0], NOTHING)]).toEqual([0, 1])
  })
})
