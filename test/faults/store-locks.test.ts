import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { InboxPage } from '../../src/model/postern.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { askCli, expectFailure, runCli } from './harness/cli.ts'
import { startHolder } from './harness/holder.ts'
import { makeHome, storeOf, withStore } from './harness/home.ts'
import { figures } from './harness/need.ts'
import { doctorFault } from './harness/soundness.ts'

const PUSH = ['inbox', 'push', '--to', 'quinn', 'one more', '--json']
const LONGEST_WAIT_MS = 15_000
const LONGEST_READ_MS = 5_000

it('waits a bounded time for a process that was stopped with the lock, says so, and works when it has gone', async () => {
  const home = await prepare()
  const holder = await startHolder(storeOf(home))
  holder.freeze()
  const startedAt = performance.now()
  const refused = await runCli(home, PUSH)
  const waitedMs = performance.now() - startedAt
  figures('stopped with the lock', `refused after ${Math.round(waitedMs)} ms`)
  expectFailure(refused, 'STORE_BUSY')
  expect(waitedMs).toBeLessThan(LONGEST_WAIT_MS)

  await holder.kill()
  expect(await contentsOf(home)).toEqual(['earlier'])
  expect((await runCli(home, PUSH)).code).toBe(0)
  expect(await contentsOf(home)).toEqual(['earlier', 'one more'])
  expect(await doctorFault(home)).toBeNull()
})

it('takes a push that waits while the holder of the lock goes on', async () => {
  const home = await prepare()
  const holder = await startHolder(storeOf(home))
  const pushing = runCli(home, PUSH)
  await holder.letGoAfter(1_000)
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
