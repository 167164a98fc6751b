import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { ErrorCode } from '../../src/model/errors.ts'
import type { HealthReport } from '../../src/model/postern.ts'
import { plantQuiet, quietIn } from '../helpers/quiet.ts'
import { removeFolder, temporaryFolder } from '../helpers/temp.ts'
import { campaign, TIER } from '../helpers/tier.ts'
import { expectFailure, faultOfFailure, runCli } from './harness/cli.ts'
import { copyHome, deliveriesIn, makeHome, storeOf, withStore } from './harness/home.ts'
import { copyPlace, fire, makePlace } from './harness/hook.ts'
import { inTurn } from './harness/in-turn.ts'
import { figures } from './harness/need.ts'
import { integrityFault } from './harness/soundness.ts'

const PUSH = ['inbox', 'push', '--to', 'quinn', 'one more']
const DRAIN = ['inbox', 'drain', '--agent', 'quinn']
const COMMANDS =
  TIER === 'quick' ? [DRAIN] : [PUSH, DRAIN, ['inbox', 'list'], ['inbox', 'ack', '--agent', 'quinn', 'msg_x']]
const AT_ONCE = 3
/** Of all pages, how many are damaged: a few of them, or each of them. */
const PART = { quick: 0.04, full: 1, long: 1 }
/** Commands that have each one file descriptor more than the one before. */
const STARVED = { quick: 2, full: 12, long: 12 }
const PAGE = 4_096
const FEW_DESCRIPTORS = fileURLToPath(new URL('./harness/few-descriptors.cjs', import.meta.url))

describe('a store that is not what it should be', () => {
  const cases: readonly (readonly [string, ErrorCode, (path: string) => void])[] = [
    ['pages full of noise', 'STORE_CORRUPT', (path) => overwrite(path, PAGE, Buffer.alloc(12 * PAGE, 0xa5))],
    ['a schema page full of noise', 'STORE_CORRUPT', (path) => overwrite(path, 100, Buffer.alloc(PAGE - 100, 0xa5))],
    ['nothing but zeros', 'STORE_CORRUPT', (path) => writeFileSync(path, Buffer.alloc(32 * PAGE))],
    ['half of its pages', 'STORE_CORRUPT', (path) => truncateSync(path, readFileSync(path).length / 2)],
    [
      'some other text',
      'STORE_CORRUPT',
      (path) => writeFileSync(path, 'This is a letter and no database. '.repeat(20)),
    ],
    ["somebody else's database", 'STORE_CORRUPT', (path) => replaceBy(path, 'CREATE TABLE letters (text)')],
    ['a schema from the future', 'STORE_NEWER', (path) => execute(path, 'PRAGMA user_version = 99')],
    ['a folder', 'STORE_UNAVAILABLE', replaceByFolder],
  ]
  for (const [what, code, damage] of cases) {
    it(`is refused, and left as it is: ${what}`, async () => {
      const home = await prepare()
      damage(storeOf(home))
      const before = contentOf(storeOf(home))
      const ran = await inTurn(COMMANDS, AT_ONCE, (command) => runCli(home, command))
      for (const each of ran) expectFailure(each, code)

      const doctor = await runCli(home, ['doctor', '--json'])
      expect(doctor.code).toBe(1)
      expect((JSON.parse(doctor.stdout) as HealthReport).ok).toBe(false)
      expect(contentOf(storeOf(home))).toEqual(before)
    })
  }

  campaign('a damaged page is reported by doctor, never hidden, wherever it is', PART, async (part) => {
    const template = await prepare()
    const pages = readFileSync(storeOf(template)).length / PAGE - 1
    const damaged = Array.from({ length: Math.ceil(part * pages) }, (_, at) => 1 + Math.floor(at / part))
    const noticed = await inTurn(damaged, AT_ONCE, (page) => damagePage(template, page))
    figures('damaged pages', `${damaged.length} of ${pages} pages, ${noticed.filter(Boolean).length} noticed by doctor`)
    expect(noticed.filter(Boolean).length).toBeGreaterThan(damaged.length / 2)
  })
})

describe('a corrupt page', () => {
  const MESSAGES = 60
  const CHARACTERS = 900
  const texts = Array.from({ length: MESSAGES }, (_, at) => `${`number ${at}.`.padEnd(CHARACTERS, '-')}`)

  for (const [how, filling] of [
    ['zeros', 0],
    ['noise', 0xa5],
  ] as const) {
    it(`costs the messages on it, not the inbox: full of ${how}`, async () => {
      const home = await prepare()
      await withStore(home, async ({ agents, inbox }) => {
        await agents.add({ id: 'justin', kind: 'human', isOwner: true })
        await inbox.pushMany({ messages: texts.map((content) => ({ to: ['quinn'], content })) })
      })
      const place = readFileSync(storeOf(home)).indexOf('number 30.')
      overwrite(storeOf(home), place - (place % PAGE), Buffer.alloc(PAGE, filling))

      const read = await withStore(home, async (postern) => {
        const { items } = await postern.inbox.list({ agent: 'quinn', limit: 1_000 })
        expect(items).toHaveLength(1 + MESSAGES)
        const { messages } = await postern.inbox.drain({ agent: 'quinn', maxMessages: 1_000 })
        const notices = await postern.inbox.drain({ agent: 'justin' })
        expect(notices.messages.map(({ content }) => content)).toEqual([expect.stringContaining('inbox of quinn')])
        return messages.map(({ content }) => content)
      })
      const lost = texts.filter((text) => !read.includes(text))
      expect(lost.length).toBeGreaterThan(0)
      expect(lost.length).toBeLessThanOrEqual(Math.ceil(PAGE / CHARACTERS))
      expect(read).toHaveLength(1 + MESSAGES - lost.length)
    })
  }
})

describe('the log of a store whose process was killed', () => {
  const LOG_HEADER = 32

  /** A home as a killed process leaves it: the last messages are in the log alone. */
  async function leaveLog(): Promise<string> {
    const home = await prepare()
    const killed = join(temporaryFolder(), 'home')
    await withStore(home, ({ agents }) => agents.add({ id: 'justin', kind: 'human', isOwner: true }))
    await withStore(home, async ({ inbox }) => {
      for (let at = 0; at < 5; at++) await inbox.push({ to: ['quinn'], content: `number ${at}` })
      copyHome(home, killed)
    })
    return killed
  }

  async function readBy(home: string, agent: string): Promise<string[]> {
    return withStore(home, async ({ inbox, upkeep }) => {
      await upkeep.run()
      const { messages } = await inbox.drain({ agent })
      return messages.map(({ content }) => content)
    })
  }

  for (const [what, damage] of [
    ['one byte of it was flipped', flipByte],
    ['its end was cut off', cutInHalf],
    ['it was removed', (path: string) => rmSync(path)],
  ] as const) {
    it(`is missed by the next process, which tells people and agents, if ${what}`, async () => {
      const home = await leaveLog()
      damage(`${storeOf(home)}-wal`)
      const told = await readBy(home, 'quinn')
      expect(told).not.toContain('number 4')
      expect(told).toContainEqual(expect.stringContaining('changes that Postern had acknowledged are missing'))
      expect(await readBy(home, 'justin')).toEqual([expect.stringContaining('are missing from its store')])
      const { checks } = await withStore(home, ({ upkeep }) => upkeep.check())
      expect(checks.find(({ name }) => name === 'store.completeness')).toMatchObject({ ok: false })
      expect(await readBy(home, 'quinn')).toEqual([])
    })
  }

  it('is not answered with "No messages.", although what is left of it holds none', async () => {
    const home = await leaveLog()
    await withStore(home, ({ inbox }) => inbox.drain({ agent: 'quinn' }))
    const killed = join(temporaryFolder(), 'home')
    await withStore(home, async ({ inbox }) => {
      await inbox.push({ to: ['quinn'], content: 'acknowledged' })
      copyHome(home, killed)
    })
    rmSync(`${storeOf(killed)}-wal`)
    const { stdout } = await runCli(killed, DRAIN)
    expect(stdout).toContain('changes that Postern had acknowledged are missing')
  })

  for (const [event, what, damage] of [
    ['SessionStart', 'its end was cut off', cutInHalf],
    ['SessionStart', 'one byte of it was flipped', flipByte],
    ['UserPromptSubmit', 'it was removed', (path: string) => rmSync(path)],
  ] as const) {
    it(`is missed by the hook of ${event}, which tells the agent, if ${what}`, async () => {
      const place = await makePlace()
      await fire(place, 'SessionStart')
      const killed = await withStore(place.home, async ({ inbox }) => {
        for (let at = 0; at < 5; at++) await inbox.push({ to: ['quinn'], content: `number ${at}` })
        return copyPlace(place)
      })
      damage(`${storeOf(killed.home)}-wal`)
      const { context } = await fire(killed, event)
      expect(context).not.toContain('number 4')
      expect(context).toContain('changes that Postern had acknowledged are missing')
      expect((await fire(killed, event)).context).not.toContain('are missing')
    })
  }

  it('is complete, and nobody is told anything, if nothing was damaged', async () => {
    const home = await leaveLog()
    expect(await readBy(home, 'quinn')).toEqual(['earlier', ...[0, 1, 2, 3, 4].map((at) => `number ${at}`)])
    const { checks } = await withStore(home, ({ upkeep }) => upkeep.check())
    expect(checks.find(({ name }) => name === 'store.completeness')).toMatchObject({ ok: true })
  })

  function cutInHalf(path: string): void {
    truncateSync(path, Math.floor(readFileSync(path).length / 2))
  }

  function flipByte(path: string): void {
    const bytes = readFileSync(path)
    const at = LOG_HEADER + Math.floor((bytes.length - LOG_HEADER) / 2)
    bytes[at] = (bytes[at] ?? 0) ^ 0xff
    writeFileSync(path, bytes)
  }
})

describe('an older copy in the place of a store', () => {
  it.each([
    ['alone', []],
    ['without the number of its last event', ['-end']],
  ])('ends the quiet of every agent with the first command: %s', async (_, missing) => {
    const home = await prepare()
    const copy = readFileSync(storeOf(home))
    await withStore(home, ({ inbox }) => inbox.push({ to: ['robin'], content: 'later' }))
    plantQuiet(home, ['quinn', 'robin'])
    for (const suffix of ['-wal', '-shm', ...missing]) rmSync(`${storeOf(home)}${suffix}`, { force: true })
    // Into the same file, as `cp` does.
    writeFileSync(storeOf(home), copy)
    await withStore(home, ({ inbox }) => inbox.list({ agent: 'quinn' }))
    expect(quietIn(home)).toEqual([])
  })
})

describe('a store whose file is taken away while it is open', () => {
  for (const [what, takeAway] of [
    ['deleted', (path: string) => rmSync(path)],
    ['moved', (path: string) => renameSync(path, `${path}.elsewhere`)],
    ['replaced', replaceByCopy],
  ] as const) {
    it(`acknowledges nothing that would go into nowhere: ${what}`, async () => {
      const home = await prepare()
      await withStore(home, async ({ inbox }) => {
        takeAway(storeOf(home))
        const pushed = inbox.push({ to: ['quinn'], content: 'into nowhere' })
        await expect(pushed).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
      })
    })
  }
})

describe('a command that lacks what it needs', () => {
  campaign('a push that may open no more files is refused or stored, and says which', STARVED, async (pushes) => {
    const home = await prepare()
    const descriptors = Array.from({ length: pushes }, (_, at) => 1 + at * (STARVED.full / pushes))
    const refused = await inTurn(descriptors, AT_ONCE, async (left) => {
      const ran = await runCli(home, PUSH, {
        wrap: ['bash', '-c', 'ulimit -n 100; exec "$@"', 'bash'],
        node: ['--require', FEW_DESCRIPTORS],
        env: { POSTERN_TEST_DESCRIPTORS: `${left}` },
      })
      if (ran.code !== 0) expect([left, faultOfFailure(ran)]).toEqual([left, undefined])
      return ran.code !== 0
    })
    expect(refused).toContain(true)
    expect(await deliveriesIn(home)).toHaveLength(1 + refused.filter((isRefused) => !isRefused).length)
    expect(integrityFault(storeOf(home))).toBeNull()
  })

  it('makes a home that is missing, and says so where it cannot', async () => {
    const folder = temporaryFolder()
    const made = await runCli(join(folder, 'new', 'home'), ['inbox', 'push', '--create', '--to', 'quinn', 'text'])
    expect(made.code, made.stderr).toBe(0)
    writeFileSync(join(folder, 'file'), '')
    expectFailure(await runCli(join(folder, 'file', 'home'), PUSH), 'STORE_UNAVAILABLE')
    expectFailure(await runCli('/proc/nope', PUSH, { wrap: ['timeout', '20'] }), 'STORE_UNAVAILABLE')
  })
})

/** Fills one page with noise in a copy of a home. Returns whether doctor notices. */
async function damagePage(template: string, page: number): Promise<boolean> {
  const home = copyHome(template, join(temporaryFolder(), 'home'))
  overwrite(storeOf(home), page * PAGE, Buffer.alloc(PAGE, 0xa5))
  const ran = await runCli(home, PUSH)
  const doctor = await runCli(home, ['doctor', '--json'])
  if (ran.code !== 0)
    expect([faultOfFailure(ran), ran.stderr]).toEqual([undefined, expect.stringContaining('STORE_CORRUPT')])
  else await expectNoEmptyPromise(home, page)
  if (integrityOf(home)) expect([page, doctor.code]).toEqual([page, 1])
  removeFolder(home)
  return doctor.code === 1
}

/** Once a drain has found the store corrupt, a push is refused, or its message can be read. */
async function expectNoEmptyPromise(home: string, page: number): Promise<void> {
  const drained = await runCli(home, DRAIN)
  if (drained.code === 0) {
    expect([page, drained.stdout]).toEqual([page, expect.stringContaining('one more')])
    return
  }
  expectFailure(drained, 'STORE_CORRUPT')
  expectFailure(await runCli(home, PUSH), 'STORE_CORRUPT')
}

async function prepare(): Promise<string> {
  const home = makeHome(join(temporaryFolder(), 'home'))
  await withStore(home, async ({ agents, inbox }) => {
    await agents.add({ id: 'quinn' })
    await agents.add({ id: 'robin' })
    await inbox.push({ to: ['quinn'], content: 'earlier' })
  })
  return home
}

function overwrite(path: string, offset: number, bytes: Buffer): void {
  const descriptor = openSync(path, 'r+')
  writeSync(descriptor, bytes, 0, bytes.length, offset)
  closeSync(descriptor)
}

function execute(path: string, sql: string): void {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

function replaceBy(path: string, sql: string): void {
  rmSync(path)
  execute(path, sql)
}

function replaceByFolder(path: string): void {
  rmSync(path)
  mkdirSync(path)
}

/** As a restored backup would. */
function replaceByCopy(path: string): void {
  renameSync(path, `${path}.elsewhere`)
  writeFileSync(path, readFileSync(`${path}.elsewhere`))
}

function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

/** What is wrong with the pages, as far as the file can be opened at all. */
function integrityOf(home: string): string | null {
  try {
    return integrityFault(storeOf(home))
  } catch (error) {
    return String(error)
  }
}
