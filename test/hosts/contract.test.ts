import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { missingPrograms, needs } from '../helpers/needs.ts'
import { FULL } from '../helpers/tier.ts'
import type { Driver } from './driver.ts'
import { eventOf, type ForeignHook, type Moment, plantHooks } from './foreign-hook.ts'
import { openLoopback } from './loopback.ts'
import { occurrences } from './model.ts'
import { makePlace, type Place } from './place.ts'
import { type ClientRun, type Ran, runClient } from './run.ts'
import { CLAUDE, CODEX, DRIVERS, describeReal, GEMINI, repeatedBy } from './scene.ts'

/**
 * What the clients do, whatever Postern does: the ground that the other tests and the hosts' data stand on. A client
 * of another version may do otherwise, and then it is here that one sees it first.
 */
const MARK = 'mark-of-a-hook'
const done = { text: 'done' }

const hasNamespace = missingPrograms('ip') === undefined && (await openLoopback()).enter.length > 0
const NEEDS_NAMESPACE = needs(hasNamespace ? undefined : 'a network namespace ("unshare -n" and "ip")')

describeReal.each(DRIVERS)('$host', (driver) => {
  test('gives the model what a hook says, as often as it says it', driver.host === 'gemini' ? FULL : {}, async () => {
    const { requests } = await runWith(driver, [{ moment: 'tool', script: say(context(driver, 'tool')) }], {
      steps: [work(driver), work(driver), done],
    })
    expect(requests.map((request) => occurrences(request, MARK))).toEqual([0, 1, 2])
  })

  test('sees no network but the model', { ...NEEDS_NAMESPACE, ...repeatedBy(driver) }, async () => {
    const asked: string[] = []
    const machine = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.end()
    })
    await new Promise<void>((resolve) => machine.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void machine.close())
    const { port } = machine.address() as AddressInfo
    // The answer is put together there, so that the call itself does not hold it.
    const look = `fetch('http://127.0.0.1:${port}/').then(() => console.log('a way', 'out'), () => console.log('no way', 'out'))`
    const { requests } = await runWith(driver, [], {
      steps: [{ calls: [driver.callShell(`${process.execPath} -e "${look}"`)] }, done],
    })
    expect(occurrences(requests[1], 'no way out')).toBe(1)
    expect(asked).toEqual([])
  })
})

describeReal.each(CLAUDE)('$host', (driver) => {
  test('repeats the reason of a blocked stop, but not the context that continues one', FULL, async () => {
    const blocked = await runWith(driver, [{ moment: 'stop', script: once(block) }], { steps: [done, done] })
    expect(occurrences(blocked.requests[1], MARK)).toBe(2)
    const continued = await runWith(driver, [{ moment: 'stop', script: once(context(driver, 'stop')) }], {
      steps: [done, done],
    })
    expect(occurrences(continued.requests[1], MARK)).toBe(1)
  })

  test('ends the turn by itself after eight blocks', FULL, async () => {
    const { requests } = await runWith(driver, [{ moment: 'stop', script: say(block) }], {
      steps: Array(12).fill(done),
    })
    expect(requests).toHaveLength(9)
  })

  test('tells hooks whether a person is there', FULL, async () => {
    const place = await makePlace()
    const log = join(place.home, 'log')
    const script = `echo "$CLAUDE_CODE_SESSION_ATTENDED" >>'${log}'`
    await runWith(driver, [{ moment: 'stop', script, options: { asyncRewake: true } }], { steps: [done] }, place)
    // A run without a person waits for its background hooks, so these must know.
    expect(readFileSync(log, 'utf8')).toBe('0\n')
  })
})

describeReal.each([...CODEX, ...GEMINI])('$host', (driver) => {
  test('takes no context at a stop, only a reason, and that once', FULL, async () => {
    const continued = await runWith(driver, [{ moment: 'stop', script: once(context(driver, 'stop')) }], {
      steps: [done],
    })
    expect(continued.requests).toHaveLength(1)
    const blocked = await runWith(driver, [{ moment: 'stop', script: once(block) }], { steps: [done, done] })
    expect(occurrences(blocked.requests[1], MARK)).toBe(1)
  })
})

describeReal.each(CODEX)('$host', (driver) => {
  test('refuses a whole answer, the block with it, for one field that it does not know there', FULL, async () => {
    const answer = { ...block, ...context(driver, 'stop') }
    const { requests } = await runWith(driver, [{ moment: 'stop', script: once(answer) }], { steps: [done, done] })
    expect(requests).toHaveLength(1)
  })
})

const block = { decision: 'block', reason: MARK }

function context(driver: Driver, moment: Moment): object {
  return { hookSpecificOutput: { hookEventName: eventOf(driver, moment), additionalContext: MARK } }
}

function say(answer: object): string {
  return `cat >/dev/null; echo '${JSON.stringify(answer)}'`
}

/** Its first run makes a folder beside it; all later ones find it there. */
function once(answer: object): string {
  return `mkdir "$0.said" 2>/dev/null || exit 0; ${say(answer)}`
}

const work = (driver: Driver) => ({ calls: [driver.callShell('true')] })

async function runWith(driver: Driver, hooks: readonly ForeignHook[], run: ClientRun, place?: Place): Promise<Ran> {
  const where = place ?? (await makePlace())
  plantHooks(driver, where, hooks)
  return runClient(driver, where, run)
}
