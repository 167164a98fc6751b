import { expect, test } from 'vitest'
import { occurrences } from './model.ts'
import { CLAUDE, describeReal, makeScene } from './scene.ts'

const MARK = 'mark-of-the-message'
const done = { text: 'done' }

describeReal.each(CLAUDE)('in $host', (driver) => {
  const work = { calls: [driver.callShell('true')] }
  const sendOut = {
    calls: [
      {
        name: 'Agent',
        input: {
          description: 'An errand',
          prompt: 'Run an errand.',
          subagent_type: 'general-purpose',
          run_in_background: false,
        },
      },
    ],
  }

  test('an urgent message that comes while a subagent works is the agent’s own, and not confirmed by the subagent', async () => {
    const scene = await makeScene(driver)
    const states: string[] = []
    const ids: string[] = []
    const look = async () => {
      for (const id of ids) states.push((await scene.receipt(id)).state)
    }
    const { requests } = await scene.run({
      steps: [
        sendOut,
        // From here on the subagent speaks.
        async () => {
          ids.push(await scene.push(MARK, 0))
          return work
        },
        async () => {
          await look()
          return work
        },
        async () => {
          await look()
          return done
        },
        // And now the agent again.
        async () => {
          await look()
          return done
        },
      ],
    })
    expect(requests.map((request) => occurrences(request, MARK))).toEqual([0, 0, 0, 0, 1])
    expect(states).toEqual(['pending', 'pending', 'offered'])
    expect(await scene.receipt(ids[0] ?? '')).toMatchObject({ state: 'seen', attempt: 1 })
  })
})
