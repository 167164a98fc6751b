import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type ManagedAgent, makeManagedAgent, READ_JSON, type Wake } from '../helpers/managed-agent.ts'
import { PATIENTLY } from '../helpers/patience.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { campaign, FULL } from '../helpers/tier.ts'
import { makeHome } from './harness/home.ts'
import { figures } from './harness/need.ts'
import { storeFault } from './harness/soundness.ts'

const KILLS = { quick: 2, full: 15, long: 1_500, most: 25 }
const PER_KILL = 3
/** A kill comes at any moment: before the store is open, while a command reads or works, while that is confirmed. */
const LONGEST_LIFE_MS = 600
/** What was offered and not yet printed when its taker was killed comes back after this time. */
const LEASE_MS = 2_000

campaign('a command gets everything that is pushed, however often its waker is killed', KILLS, async (kills) => {
  const { agent, lost, repeated, unmarked } = await killWakers(kills, ({ wake }) =>
    wake(`${READ_JSON}; exec sleep 0.05`, '--json', '--max-per-hour', '100000'),
  )
  figures('wake, killed', `${kills} kills, ${repeated} messages shown again`)
  expect(lost).toEqual([])
  // What is shown once more says so.
  expect(unmarked).toEqual([])
  expect(await storeFault(agent.home)).toBeNull()
})

it('finds what a planted script loses that drains first and works then', FULL, async () => {
  // What it has started outlives it, and must hold nothing of the test's.
  const naive = `exec 2>/dev/null; while :; do eval "$POSTERN" inbox wait --agent quinn >/dev/null
    eval "$POSTERN" inbox drain --agent quinn --json >batch; sleep 0.3; ${READ_JSON} <batch; done`
  let found = 0
  for (let round = 0; found === 0 && round < 5; round++) {
    found = (await killWakers(10, ({ script }) => script(naive))).lost.length
  }
  expect(found).toBeGreaterThan(0)
})

interface Verdict {
  readonly agent: ManagedAgent
  /** What no command was ever given, although the store says that it was seen. */
  readonly lost: readonly string[]
  /** How often a command was given a message that another had been given before. */
  readonly repeated: number
  /** What two commands were given as the same attempt. */
  readonly unmarked: readonly string[]
}

/** Pushes while whoever wakes the agent is killed and started again; then lets it finish in peace. */
async function killWakers(kills: number, start: (agent: ManagedAgent) => Wake): Promise<Verdict> {
  const agent = await makeManagedAgent(makeHome(temporaryFolder(), { unprintedOfferMs: LEASE_MS }))
  const pushed: string[] = []
  let wake = start(agent)
  for (let kill = 0; kill < kills; kill++) {
    const gone = delay(Math.random() * LONGEST_LIFE_MS).then(() => wake.kill('SIGKILL'))
    for (let each = 0; each < PER_KILL; each++) {
      const text = `message-${pushed.length}`
      await agent.push(text)
      pushed.push(text)
    }
    await gone
    await wake.ended
    wake = start(agent)
  }
  await expect.poll(() => undone(agent), { ...PATIENTLY, interval: 200 }).toBe(0)
  // The last one must come to its end: a command is given its batch before the store says that it was seen, or after.
  await agent.push('the last')
  await expect.poll(() => agent.log().some((line) => line.endsWith(' the last')), PATIENTLY).toBe(true)
  wake.kill('SIGTERM')
  await wake.ended

  const lines = agent.log()
  const texts = lines.map((line) => line.slice(line.indexOf(' ') + 1))
  return {
    agent,
    lost: pushed.filter((text) => !texts.includes(text)),
    repeated: texts.length - new Set(texts).size,
    // The command of a killed waker lives on, so it may write to the log after the command that is given the next attempt.
    unmarked: lines.filter((line, at) => lines.indexOf(line) < at),
  }
}

async function undone(agent: ManagedAgent): Promise<number> {
  const words = ['inbox', 'list', '--agent', 'quinn', '--all', '--limit', '1000']
  const { items } = await agent.ask<{ items: { state: string }[] }>(...words)
  return items.filter(({ state }) => state !== 'seen').length
}
