import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Gate } from '../../src/model/gate.ts'
import { FULL } from '../helpers/tier.ts'
import { occurrences } from './model.ts'
import { DRIVERS, describeReal, makeScene, repeatedBy, type Scene } from './scene.ts'

const REASON = 'wait-for-the-review'
const MOST_BLOCKS = 5

describeReal.each(DRIVERS)('in $host', (driver) => {
  const done = { text: 'done' }

  test(
    'a strict gate blocks the stop with its reason and releases when it is resolved',
    repeatedBy(driver),
    async () => {
      const scene = await makeScene(driver)
      const gate = await createGate(scene)
      const { requests } = await scene.run({
        steps: [
          done,
          done,
          async () => {
            await resolveGate(scene, gate)
            return done
          },
          done,
          done,
        ],
      })
      const [first, second, third] = requests.map((request) => occurrences(request, REASON))
      expect(first).toBe(0)
      expect(second).toBeGreaterThan(0)
      expect(third).toBeGreaterThan(second!)
      // Its release is news of its own, which continues the turn one last time.
      expect(requests).toHaveLength(4)
      expect(await stateOf(scene, gate)).toBe('resolved')
    },
  )

  test(
    'a gate that never resolves ends by the breaker before the host gives up, and a person is told',
    repeatedBy(driver, 'codex'),
    async () => {
      const scene = await makeScene(driver)
      const gate = await createGate(scene)
      const { requests } = await scene.run({ steps: Array(12).fill(done) })
      const blocks = requests.length - 1
      expect(blocks).toBeGreaterThan(0)
      expect(blocks).toBeLessThanOrEqual(MOST_BLOCKS)
      await expectBreach(scene, gate)
    },
  )

  test('work between the stops does not wind the breaker back', FULL, async () => {
    const scene = await makeScene(driver)
    const gate = await createGate(scene)
    let stops = 0
    const { requests } = await scene.run({
      steps: Array.from({ length: 24 }, (_, at) => () => {
        // Never the same twice, which a host may take for a loop of its own.
        if (at % 2 === 0) return { calls: [driver.callShell(`true ${at}`)] }
        stops++
        return done
      }),
    })
    expect(stops - 1).toBeGreaterThan(0)
    expect(stops - 1).toBeLessThanOrEqual(MOST_BLOCKS)
    expect(requests.length).toBe(2 * stops)
    await expectBreach(scene, gate)
  })

  test(
    'a strict tool gate denies the tool with its reason, and lets it through when it is resolved',
    repeatedBy(driver, 'gemini'),
    async () => {
      const scene = await makeScene(driver)
      const gate = await createGate(scene, '--hook', 'tool')
      const touched = join(scene.project, 'touched')
      const touch = { calls: [driver.callShell(`touch ${touched}`)] }
      const isThere: boolean[] = []
      const { requests } = await scene.run({
        steps: [
          touch,
          async () => {
            isThere.push(existsSync(touched))
            await resolveGate(scene, gate)
            return touch
          },
          () => {
            isThere.push(existsSync(touched))
            return done
          },
          done,
        ],
      })
      expect(isThere).toEqual([false, true])
      expect(occurrences(requests[1], REASON)).toBe(1)
    },
  )
})

async function createGate(scene: Scene, ...more: readonly string[]): Promise<string> {
  const words = ['--agent', 'quinn', '--kind', 'human', '--mode', 'strict', '--reason', REASON, ...more]
  const { id, state } = await scene.ask<Gate>('gate', 'create', ...words)
  expect(state).toBe('open')
  return id
}

function resolveGate(scene: Scene, id: string): Promise<unknown> {
  return scene.ask('gate', 'resolve', id, '--as', 'justin', '--reason', 'reviewed')
}

async function stateOf(scene: Scene, id: string): Promise<string | undefined> {
  const gates = await scene.ask<{ items: readonly Gate[] }>('gate', 'list', '--agent', 'quinn', '--all')
  return gates.items.find((gate) => gate.id === id)?.state
}

async function expectBreach(scene: Scene, gate: string): Promise<void> {
  expect(await stateOf(scene, gate)).toBe('breached')
  const mail = await scene.mailOf('justin')
  expect(mail.filter(({ content }) => content.includes(gate) && content.includes('breached'))).toHaveLength(1)
}
