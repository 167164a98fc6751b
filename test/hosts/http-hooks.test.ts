import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { ask } from '../helpers/http-server.ts'
import { FULL } from '../helpers/tier.ts'
import { openLoopback } from './loopback.ts'
import { occurrences } from './model.ts'
import { runProgram } from './place.ts'
import { CLAUDE, describeReal, makeScene, type Scene } from './scene.ts'
import { serve } from './served.ts'

const MARK = 'mark-of-the-message'

/** A server where the client can reach it, and hooks that post to it. */
interface Posting {
  readonly scene: Scene
  readonly server: ChildProcess
}

async function makePosting(driver: Scene['driver']): Promise<Posting> {
  let server: ChildProcess | undefined
  const scene = await makeScene(driver, async (place) => {
    server = (await serve(place)).server
    const { enter } = await openLoopback()
    const words = ['init', '--host', driver.host, '--agent', 'quinn', '--http']
    const { exit, stderr } = await runProgram([...enter, process.execPath, inject('executable'), ...words], {
      cwd: place.project,
      env: place.env,
    })
    expect(exit, stderr).toBe(0)
  })
  return { scene, server: server! }
}

/** How many events the server was asked about. Files, and so its socket, are the same in every network. */
async function countPosted({ home }: Scene): Promise<number> {
  const socketPath = join(home, '.postern', 'run', 'postern.sock')
  const { text } = await ask('http://localhost', 'GET /metrics', { socketPath })
  const counts = [...text.matchAll(/^postern_http_requests_total\{.*operation="hooks".*\} (\d+)$/gm)]
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}

describeReal.each(CLAUDE)('in $host with hooks over HTTP', (driver) => {
  const work = { calls: [driver.callShell('true')] }
  const done = { text: 'done' }

  test('an urgent message pushed while the agent works is in the next request to the model, once', async () => {
    const { scene } = await makePosting(driver)
    const states: string[] = []
    let id = ''
    const look = async () => {
      states.push((await scene.receipt(id)).state)
      return work
    }
    const { requests } = await scene.run({
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
    expect(requests.map((request) => occurrences(request, MARK))).toEqual([0, 1, 1, 1])
    expect(states).toEqual(['pending', 'offered', 'seen'])
    expect(await scene.receipt(id)).toMatchObject({ state: 'seen', attempt: 1 })
    // One prompt and three batches of tools.
    expect(await countPosted(scene)).toBe(4)
    const { checks } = JSON.parse((await scene.postern('doctor', '--json')).stdout)
    expect(checks.find(({ name }: { name: string }) => name === 'hooks.faults')).toMatchObject({ ok: true })
  })

  test('the agent goes on without the server, and its stop shows what came', FULL, async () => {
    const { scene, server } = await makePosting(driver)
    let id = ''
    const { requests } = await scene.run({
      steps: [
        async () => {
          const ended = once(server, 'exit')
          server.kill('SIGTERM')
          await ended
          id = await scene.push(MARK, 1)
          return work
        },
        done,
        done,
      ],
    })
    expect(requests.map((request) => occurrences(request, MARK))).toEqual([0, 0, 1])
    expect(await scene.receipt(id)).toMatchObject({ state: 'seen', attempt: 1 })
  })

  test('a gate holds tools all the same, for those events are no concern of the server', FULL, async () => {
    const { scene } = await makePosting(driver)
    const settings = readFileSync(join(scene.home, '.claude', 'settings.json'), 'utf8')
    const { hooks } = JSON.parse(settings) as { hooks: Record<string, { hooks: { type: string }[] }[]> }
    const posting = Object.entries(hooks).filter(([, [group]]) => group?.hooks.some(({ type }) => type === 'http'))
    expect(posting.map(([event]) => event)).toEqual(['UserPromptSubmit', 'PostToolBatch'])
    const gate = ['--agent', 'quinn', '--kind', 'human', '--mode', 'strict', '--hook', 'tool', '--reason', MARK]
    await scene.ask('gate', 'create', ...gate)
    const { requests } = await scene.run({ steps: [work, ...Array(8).fill(done)] })
    expect(occurrences(requests[0], MARK)).toBe(0)
    expect(occurrences(requests[1], MARK)).toBeGreaterThan(0)
  })
})
