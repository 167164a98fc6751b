import { closeSync, existsSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { InboxPage } from '../../src/model/postern.ts'
import { postern } from '../helpers/command.ts'
import { startServe } from '../helpers/http-server.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { verifies } from '../scenarios/verifies.ts'
import { askCli, expectFailure, type Ran, runCli } from './harness/cli.ts'
import { mountMemory, needsMounts } from './harness/disk.ts'
import { copyHome, makeHome, storeOf, withStore } from './harness/home.ts'
import { requireRoot, run } from './harness/need.ts'
import { doctorFault, integrityFault } from './harness/soundness.ts'

const PUSH = ['inbox', 'push', '--to', 'quinn', 'one more']
/** More than the log has room for. */
const LARGE = { to: ['robin'], content: 'x'.repeat(60_000) }
const BLOCK = Buffer.alloc(4_096)

describe('a disk without room', needsMounts(), () => {
  it('refuses pushes with a code of its own, loses nothing, and takes them again when there is room', async () => {
    const { home, fill } = await prepareFull()
    expectFailure(await runCli(home, PUSH), 'STORE_FULL')
    expectFailure(await runCli(home, ['inbox', 'drain', '--agent', 'quinn']), 'STORE_FULL')
    rmSync(fill)
    expect((await runCli(home, PUSH)).code).toBe(0)
    expect(await contentsOf(home)).toEqual(['earlier', 'one more'])
    expect(await doctorFault(home)).toBeNull()
  })

  it('is still read while a process has the store open, and refuses that process too', async () => {
    const { home, fill } = await prepareRoomy()
    await withStore(home, async ({ inbox }) => {
      // So much that the log must grow for the next one.
      await inbox.push({ to: ['quinn'], content: 'with room' })
      writeUntilFull(fill)
      expect(await contentsOf(home)).toEqual(['earlier', 'with room'])
      const large = 'x'.repeat(60_000)
      await expect(inbox.push({ to: ['quinn'], content: large })).rejects.toMatchObject({ code: 'STORE_FULL' })
      expectFailure(await runCli(home, ['inbox', 'push', '--to', 'quinn', large]), 'STORE_FULL')
      expect(await contentsOf(home)).toEqual(['earlier', 'with room'])

      rmSync(fill)
      await inbox.push({ to: ['quinn'], content: large })
    })
    expect(await contentsOf(home)).toHaveLength(3)
    expect(integrityFault(storeOf(home))).toBeNull()
  })

  it('is still read while nobody has the store open, and not written', async () => {
    const { home } = await prepareFull()
    for (let at = 0; at < 2; at++) {
      const { items } = await askCli<InboxPage>(home, ['inbox', 'list'])
      expect(items.map(({ content }) => content)).toEqual(['earlier'])
    }
    expect((await runCli(home, ['inbox', 'drain', '--agent', 'robin'])).stdout).toBe('No messages.\n')
    expect((await runCli(home, ['doctor'])).stdout).toContain('store.integrity')
    expectFailure(await runCli(home, PUSH), 'STORE_FULL')
  })

  it('prints pending messages of a full store, and takes none', async () => {
    verifies('G4.drain.full')
    const { home, fill } = await prepareRoomy()
    await withStore(home, async ({ inbox }) => {
      await inbox.push({ to: ['quinn'], content: 'urgent', priority: 1 })
      await inbox.push({ to: ['quinn'], content: 'x'.repeat(9_000) })
    })
    writeUntilFull(fill)
    const drain = ['inbox', 'drain', '--agent', 'quinn']
    for (let at = 0; at < 2; at++) {
      const ran = await runCli(home, drain)
      expectFailure(ran, 'STORE_FULL')
      expect(ran.stdout).toMatch(
        /^Nothing was taken: the store's disk is full\. These messages stay in the inbox and will be shown again\.\n/,
      )
      expect(ran.stdout).toMatch(/│ urgent[\s\S]*│ earlier[\s\S]*inbox show msg_/)
    }
    const urgent = await runCli(home, [...drain, '--max-priority', '1'])
    expect([urgent.stdout.includes('urgent'), urgent.stdout.includes('earlier')]).toEqual([true, false])
    expect((await runCli(home, [...drain, '--json'])).stdout).not.toContain('earlier')
    rmSync(fill)
    const { stdout } = await runCli(home, drain)
    expect(stdout).toMatch(/│ urgent[\s\S]*│ earlier/)
    expect(stdout).not.toContain('shown before')
    expect((await runCli(home, drain)).stdout).toBe('No messages.\n')
  })

  it('is still read through a server that has the store open', async () => {
    verifies('G4.drain.full')
    const { home, fill } = await prepareRoomy()
    const server = await startServe({ home })
    writeUntilFull(fill)
    // Until the log has no room left either.
    const answers = []
    while (answers.at(-1)?.status !== 507) answers.push(await server.ask('POST /api/v1/inbox', { body: LARGE }))
    const list = await server.ask('GET /api/v1/inbox?agent=quinn')
    expect(list).toMatchObject({ status: 200, body: { items: [{ content: 'earlier' }] } })
    const drained = await server.ask('POST /api/v1/inbox/drain', { body: { agent: 'quinn' } })
    expect([200, 507]).toContain(drained.status)
    const check = await server.ask('GET /api/v1/doctor')
    expect(check.status).toBe(200)
    expect((await runCli(home, ['inbox', 'list'])).stdout).toContain('earlier')
    expect((await runCli(home, ['doctor'])).stdout).toContain('store.integrity')
    rmSync(fill)
    expect((await server.ask('POST /api/v1/inbox', { body: LARGE })).status).toBe(201)
  })

  it('leaves a small disk to the store: keeps no compiled code', async () => {
    const home = join(temporaryFolder(), 'home')
    onTestFinished(mountMemory(home, 'size=1m,mode=700'))
    for (const args of [['agent', 'add', 'quinn'], PUSH, PUSH]) {
      expect(await postern({ home, hasOwnCache: true }, ...args)).toMatchObject({ exit: 0, stderr: '' })
    }
    expect((await postern({ home, hasOwnCache: true }, 'inbox', 'drain', '--agent', 'quinn')).stdout).toContain(
      'one more',
    )
    expect(existsSync(join(home, 'cache'))).toBe(false)
  })

  it('frees the space of compiled code when the disk gets full', async () => {
    const home = join(temporaryFolder(), 'home')
    onTestFinished(mountMemory(home, 'size=80m,mode=700'))
    expect(await postern({ home, hasOwnCache: true }, 'agent', 'add', 'quinn')).toMatchObject({ exit: 0 })
    expect(existsSync(join(home, 'cache'))).toBe(true)
    writeUntilFull(join(home, 'fill'))
    expect(await postern({ home, hasOwnCache: true }, ...PUSH)).toMatchObject({ exit: 0, stderr: '' })
    expect(existsSync(join(home, 'cache'))).toBe(false)
  })

  it('never acknowledges what it has not kept while it fills up', async () => {
    const { home } = await prepareRoomy()
    const answers: Ran[] = []
    const text = 'x'.repeat(60_000)
    while (answers.at(-1)?.code !== 1) answers.push(await runCli(home, ['inbox', 'push', '--to', 'quinn', text]))
    expectFailure(answers.at(-1) as Ran, 'STORE_FULL')
    const acknowledged = answers.filter(({ code }) => code === 0).length
    expect(acknowledged).toBeGreaterThan(3)
    expect(integrityFault(storeOf(home))).toBeNull()
    expect(await contentsOf(home)).toHaveLength(acknowledged + 1)
  })
})

describe('a store that cannot be written', needsMounts(), () => {
  it('says so where its file system is read-only', async () => {
    const folder = temporaryFolder()
    const home = await prepare(join(folder, 'home'))
    run('mount', ['--bind', home, home])
    onTestFinished(() => void run('umount', [home]))
    run('mount', ['-o', 'remount,ro,bind', home])
    expectFailure(await runCli(home, PUSH), 'STORE_READ_ONLY')
    expectFailure(await runCli(home, ['inbox', 'list']), 'STORE_READ_ONLY')
    run('mount', ['-o', 'remount,rw,bind', home])
    expect((await runCli(home, PUSH)).code).toBe(0)
  })

  it('says so where its permissions forbid it, and where it belongs to somebody else', async () => {
    requireRoot()
    const folder = temporaryFolder()
    const home = await prepare(join(folder, 'home'))
    run('chmod', ['755', folder])
    run('chown', ['-R', '65534', home])
    run('chmod', ['500', home])
    run('chmod', ['400', storeOf(home)])
    const wrap = ['setpriv', '--reuid=65534', '--clear-groups']
    expectFailure(await runCli(home, PUSH, { wrap }), 'STORE_READ_ONLY')
    expectFailure(await runCli(home, PUSH), 'STORE_FOREIGN')
    run('chown', ['-R', '0', home])
    run('chmod', ['700', home])
    run('chmod', ['600', storeOf(home)])
    expect(await contentsOf(home)).toEqual(['earlier'])
  })
})

async function prepare(home: string): Promise<string> {
  await withStore(makeHome(home), async ({ agents, inbox }) => {
    await agents.add({ id: 'quinn' })
    await agents.add({ id: 'robin' })
    await inbox.push({ to: ['quinn'], content: 'earlier' })
  })
  return home
}

interface SmallDisk {
  readonly folder: string
  readonly home: string
  readonly fill: string
}

async function prepareRoomy(): Promise<SmallDisk> {
  const base = temporaryFolder()
  const folder = join(base, 'small')
  const home = await prepare(join(base, 'home'))
  onTestFinished(mountMemory(folder, 'size=2m,mode=700'))
  return { folder, home: copyHome(home, join(folder, 'home')), fill: join(folder, 'fill') }
}

async function prepareFull(): Promise<SmallDisk> {
  const disk = await prepareRoomy()
  writeUntilFull(disk.fill)
  return disk
}

function writeUntilFull(path: string): void {
  const descriptor = openSync(path, 'w')
  try {
    for (;;) writeSync(descriptor, BLOCK)
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC')
  } finally {
    closeSync(descriptor)
  }
}

async function contentsOf(home: string): Promise<string[]> {
  return (await askCli<InboxPage>(home, ['inbox', 'list', '--agent', 'quinn'])).items.map(({ content }) => content)
}
