import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Drained } from '../../src/model/postern.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { verifies } from '../scenarios/verifies.ts'
import { askCli, expectFailure, type Ran, runCli, runShell } from './harness/cli.ts'
import { mountMemory, needsMounts } from './harness/disk.ts'
import { deliveriesIn, makeHome, withStore } from './harness/home.ts'
import { needsTrace } from './harness/strace.ts'

const LEASE_MS = 200
const LONG_TEXT = 'x'.repeat(6_000)

describe('a drain whose output is not taken', () => {
  for (const [what, line] of [
    ['a reader that leaves after ten bytes', 'set -o pipefail; postern inbox drain --agent quinn | head -c 10'],
    ['a full disk', 'postern inbox drain --agent quinn > /dev/full'],
    ['a closed stdout', 'postern inbox drain --agent quinn >&-'],
    ['a reader that is gone already', 'set -o pipefail; postern inbox drain --agent quinn | true'],
  ] as const) {
    it(`is shown again at once by the next one: ${what}`, async () => {
      verifies('G4.closed-pipe')
      const home = await prepare()
      const ran = await runShell(home, line)
      expectFailure(ran, 'OUTPUT_FAILED')
      expect(await statesIn(home)).toEqual(['pending', 'pending'])
      expect(await attemptsOfNextDrain(home)).toEqual([1, 1])
      expect(await statesIn(home)).toEqual(['seen', 'seen'])
    })
  }

  it('is confirmed where a slow reader takes all of it', async () => {
    const home = await prepare()
    const ran = await runShell(home, 'set -o pipefail; postern inbox drain --agent quinn | { sleep 0.3; cat; }')
    expect(ran.code, ran.stderr).toBe(0)
    expect(ran.stdout).toContain('second')
    expect(await statesIn(home)).toEqual(['seen', 'seen'])
  })

  it('fails without losing anything where there is nobody to read the error either', async () => {
    const home = await prepare()
    const ran = await runShell(home, 'postern inbox drain --agent quinn >/dev/full 2>/dev/full; echo $?')
    expect(Number(ran.stdout)).toBeGreaterThan(0)
    expect(await attemptsOfNextDrain(home)).toEqual([1, 1])
  })
})

describe('a drain into a file on a disk that fills up', needsMounts(), () => {
  it('is shown again at once, although the beginning was written', async () => {
    verifies('G4.closed-pipe')
    const home = await prepare()
    const folder = join(temporaryFolder(), 'small')
    onTestFinished(mountMemory(folder, 'size=4k'))
    const ran = await runShell(home, `postern inbox drain --agent quinn > ${folder}/out`)
    expectFailure(ran, 'OUTPUT_FAILED')
    expect(statSync(`${folder}/out`).size).toBe(4_096)
    expect(await attemptsOfNextDrain(home)).toEqual([1, 1])
  })
})

describe('a drain that is killed between its offer and its print', needsTrace(), () => {
  it('is confirmed by nothing, and is shown again after its lease', async () => {
    verifies('G4.crash')
    const home = await prepare()
    const killed = await killAtPrint(home)
    expect(killed.signal).toBe('SIGKILL')
    expect(killed.stdout).toBe('')
    expect(await statesIn(home)).toEqual(['offered', 'offered'])

    await delay(LEASE_MS)
    expect(await attemptsOfNextDrain(home)).toEqual([2, 2])
    expect(await attemptsOfNextDrain(home)).toEqual([])
  })

  it("is not confirmed by its own session's next event", async () => {
    verifies('G4.crash')
    const home = await prepare()
    await killAtPrint(home, ['--session', 'ses_one'])
    const confirmed = await withStore(home, ({ inbox }) =>
      inbox.confirmSession({ sessionId: 'ses_one', printedBefore: Date.now() + 60_000, evidence: 'the next event' }),
    )
    expect(confirmed).toBe(0)
    expect(await statesIn(home)).not.toContain('seen')
    await delay(LEASE_MS)
    expect(await attemptsOfNextDrain(home)).toEqual([2, 2])
  })
})

async function prepare(): Promise<string> {
  const home = makeHome(join(temporaryFolder(), 'home'), { unprintedOfferMs: LEASE_MS })
  await withStore(home, async ({ agents, inbox }) => {
    await agents.add({ id: 'quinn' })
    await inbox.push({ to: ['quinn'], content: `first ${LONG_TEXT}` })
    await inbox.push({ to: ['quinn'], content: 'second' })
  })
  return home
}

/** Kills the drain as it begins to write to its stdout. */
async function killAtPrint(home: string, args: readonly string[] = []): Promise<Ran> {
  const out = join(home, 'out')
  const inject = `strace -f -qq -o /dev/null -P ${out} -e trace=write -e inject=write:signal=SIGKILL:when=1`
  const ran = await runCli(home, ['inbox', 'drain', '--agent', 'quinn', ...args], {
    wrap: ['bash', '-c', `exec ${inject} "$@" > ${out}`, 'bash'],
  })
  return { ...ran, stdout: readFileSync(out, 'utf8') }
}

async function statesIn(home: string): Promise<string[]> {
  return (await deliveriesIn(home)).map(({ state }) => state)
}

async function attemptsOfNextDrain(home: string): Promise<number[]> {
  const { messages } = await askCli<Drained>(home, ['inbox', 'drain', '--agent', 'quinn'])
  return messages.map(({ attempt }) => attempt)
}
