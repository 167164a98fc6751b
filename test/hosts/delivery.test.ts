import { expect, test } from 'vitest'
import type { Driver } from './driver.ts'
import { occurrences } from './model.ts'
import { CLAUDE, CODEX, DRIVERS, describeReal, GEMINI, makeScene, repeatedBy } from './scene.ts'

const MARK = 'mark-of-the-message'
const done = { text: 'done' }
const workOf = (driver: Driver) => ({ calls: [driver.callShell('true')] })

describeReal.each([...CLAUDE, ...CODEX])('in $host', (driver) => {
  const work = workOf(driver)

  test('an urgent message pushed while the agent works is in the next request to the model, once', async () => {
    const scene = await makeScene(driver)
    const { requests } = await scene.run({
      steps: [
        async () => {
          await scene.push(MARK, 1)
          return work
        },
        work,
        work,
        done,
      ],
    })
    // What was once shown stays in the conversation: shown again it would stand there twice.
    expect(requests.map((request) => occurrences(request, MARK))).toEqual([0, 1, 1, 1])
  })

  test(
    'its receipt is offered while the host has it and seen only after the host went on',
    repeatedBy(driver),
    async () => {
      const scene = await makeScene(driver)
      const states: string[] = []
      let id = ''
      const look = async () => {
        states.push((await scene.receipt(id)).state)
        return work
      }
      await scene.run({
        steps: [
          async () => {
            id = await scene.push(MARK, 1)
            return look()
          },
          look,
          look,
          done,
        ],
      })
      expect(states).toEqual(['pending', 'offered', 'seen'])
      const { attempt, sessionId, steps } = await scene.receipt(id)
      expect(attempt).toBe(1)
      expect(sessionId).not.toBeNull()
      expect(steps.map(({ step }) => step)).toEqual(['stored', 'offered', 'printed', 'seen'])
    },
  )
})

describeReal.each(GEMINI)('in $host', (driver) => {
  test('an urgent message waits for the stop too, because a tool may be that of a subagent', async () => {
    const scene = await makeScene(driver)
    const states: string[] = []
    let id = ''
    const look = async () => {
      states.push((await scene.receipt(id)).state)
      return done
    }
    const { requests } = await scene.run({
      steps: [
        async () => {
          id = await scene.push(MARK, 0)
          return workOf(driver)
        },
        look,
        look,
      ],
    })
    expect(requests.map((request) => occurrences(request, MARK))).toEqual([0, 0, 1])
    // It comes back as the prompt of the turn that goes on, which the host says before it asks the model.
    expect(states).toEqual(['pending', 'seen'])
    expect((await scene.receipt(id)).attempt).toBe(1)
  })
})

describeReal.each(DRIVERS)('in $host', (driver) => {
  const work = workOf(driver)

  test(
    'an ordinary message pushed while the agent works waits for its stop and continues the turn, once',
    repeatedBy(driver),
    async () => {
      const scene = await makeScene(driver)
      let id = ''
      const { requests } = await scene.run({
        steps: [
          async () => {
            id = await scene.push(MARK, 2)
            return work
          },
          done,
          done,
          done,
        ],
      })
      expect(requests.map((request) => occurrences(request, MARK))).toEqual([0, 0, 1])
      expect(await scene.receipt(id)).toMatchObject({ state: 'seen', attempt: 1 })
    },
  )

  test(
    'what nobody need hurry for does not continue a turn, and is in the first request of the next session',
    repeatedBy(driver, 'codex'),
    async () => {
      const scene = await makeScene(driver)
      let id = ''
      const first = await scene.run({
        steps: [
          async () => {
            id = await scene.push(MARK, 3)
            return done
          },
        ],
      })
      expect(first.requests).toHaveLength(1)
      expect(await scene.receipt(id)).toMatchObject({ state: 'pending', attempt: 0 })
      const next = await scene.run({ steps: [work, done] })
      expect(next.requests.map((request) => occurrences(request, MARK))).toEqual([1, 1])
      expect(await scene.receipt(id)).toMatchObject({ state: 'seen', attempt: 1 })
    },
  )
})

describeReal.each(DRIVERS)('in $host', (driver) => {
  test(
    'the process of the host is known, so that what it starts never speaks as a person',
    repeatedBy(driver),
    async () => {
      const scene = await makeScene(driver)
      const pids: unknown[] = []
      await scene.run({
        steps: [
          async () => {
            pids.push((await scene.session())?.pid)
            return done
          },
        ],
      })
      expect(pids).toEqual([expect.any(Number)])
    },
  )
})
