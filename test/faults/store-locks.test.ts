import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { InboxPage } from '../../src/model/postern.ts'
import { openLocal } from '../helpers/open-local.ts'
import { DEAD_MACHINE_MS } from '../helpers/patience.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { FULL } from '../helpers/tier.ts'
import { askCli, expectFailure, runCli } from './harness/cli.ts'
import { startHolder } from './harness/holder.ts'
import { makeHome, storeOf, withStore } from './harness/home.ts'
import { figures } from './harness/need.ts'
import { storeFault } from './harness/soundness.ts'

const PUSH = ['inbox', 'push', '--to', 'quinn', 'one more', '--json']
/** Less than a command waits for a lock. */
const LONGEST_READ_MS = 9_000

it('refuses a push whose patience ends while a stopped process holds the lock, and takes the next one', async () => {
  const home = await prepare()
  const holder = await startHolder(storeOf(home))
  holder.freeze()
  const { inbox, close } = await openLocal(storeOf(home), { upkeep: false, busyMs: 200 })
  onTestFinished(close)
  await expect(inbox.push({ to: ['quinn'], content: 'too early' })).rejects.toMatchObject({ code: 'STORE_BUSY' })

  await holder.kill()
  await inbox.push({ to: ['quinn'], content: 'one more' })
  expect(await contentsOf(home)).toEqual(['earlier', 'one more'])
})

it(
  'refuses a command in a bounded time while a stopped process holds the lock, and takes the next one',
  FULL,
  async () => {
    const home = await prepare()
    const holder = await startHolder(storeOf(home))
    holder.freeze()
    const startedAt = performance.now()
    const refused = await runCli(home, PUSH)
    const waitedMs = performance.now() - startedAt
    figures('stopped with the lock', `refused after ${Math.round(waitedMs)} ms`)
    expectFailure(refused, 'STORE_BUSY')
    expect(waitedMs).toBeLessThan(DEAD_MACHINE_MS)

    await holder.kill()
    expect(await contentsOf(home)).toEqual(['earlier'])
    expect((await runCli(home, PUSH)).code).toBe(0)
    expect(await contentsOf(home)).toEqual(['earlier', 'one more'])
    expect(await storeFault(home)).toBeNull()
  },
)

it('takes a push that waits while the holder of the lock goes on', async () => {
  const home = await prepare()
  const holder = await startHolder(storeOf(home))
  const pushing = runCli(home, PUSH)
  await holder.letGoAfter(500)
  expect((await pushing).code).toBe(0)
  await holder.kill()
  expect(await contentsOf(home)).toEqual(['earlier', 'one more'])
})

/** What has been answered waits for nothing: upkeep in passing has next to no patience. */
it('reads at once while a process that was stopped has the lock', async () => {
  const home = await prepare()
  const holder = await startHolder(storeOf(home))
  holder.freeze()
  const startedAt = performance.now()
  expect(await contentsOf(home)).toEqual(['earlier'])
  expect(performance.now() - startedAt).toBeLessThan(LONGEST_READ_MS)
})

async function prepare(): Promise<string> {
  const home = makeHome(join(temporaryFolder(), 'home'))
  await withStore(home, async ({ agents, inbox }) => {
    await agents.add({ id: 'quinn' })
    await inbox.push({ to: ['quinn'], content: 'earlier' })
  })
  return home
}

async function contentsOf(home: string): Promise<string[]> {
  return (await askCli<InboxPage>(home, ['inbox', 'list', '--agent', 'quinn'])).items.map(({ content }) => content)
}
