import { expect, test } from 'vitest'
import { occurrences } from './model.ts'
import { CLAUDE, CODEX, describeReal, makeScene } from './scene.ts'

const BEFORE = 'mark-before-the-compaction'
const MEANWHILE = 'mark-while-it-compacts'
const AT_LAST = 'mark-at-the-last-moment'

const SUMMARY = { text: '<analysis>none</analysis>\n<summary>in-short</summary>' }
/** More than any model holds: the client compacts before it asks again. */
const TOO_MANY_TOKENS = 990_000
const done = { text: 'done' }

describeReal.each(CLAUDE)('in $host', (driver) => {
  const work = { calls: [driver.callShell('true')] }

  test('a compaction that was asked for loses nothing and repeats nothing', async () => {
    const scene = await makeScene(driver)
    const ids: string[] = []
    const { session, requests } = await scene.run({
      steps: [
        async () => {
          ids.push(await scene.push(BEFORE, 1))
          return work
        },
        done,
      ],
    })
    expect(occurrences(requests[1], BEFORE)).toBe(1)

    // The summariser is a model too: what comes while it works must not go to it.
    const compacted = await scene.run({
      resume: session,
      prompt: '/compact',
      steps: [
        async () => {
          ids.push(await scene.push(MEANWHILE, 1))
          return SUMMARY
        },
      ],
    })
    expect(compacted.requests.map((request) => occurrences(request, MEANWHILE))).toEqual([0])

    const after = await scene.run({ resume: session, prompt: 'go on', steps: [work, done] })
    expect(after.requests.map((request) => occurrences(request, 'in-short'))).toEqual([1, 1])
    expect(after.requests.map((request) => occurrences(request, MEANWHILE))).toEqual([1, 1])
    expect(after.requests.map((request) => occurrences(request, BEFORE))).toEqual([0, 0])
    for (const id of ids) expect(await scene.receipt(id)).toMatchObject({ state: 'seen', attempt: 1 })
  })
})

describeReal.each([...CLAUDE, ...CODEX])('in $host', (driver) => {
  const work = { calls: [driver.callShell('true')] }

  test('what was shown just before the client compacts by itself is in the request after it, once', async () => {
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
  })
})
