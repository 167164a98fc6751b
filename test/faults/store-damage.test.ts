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
import { temporaryFolder } from '../helpers/temp.ts'
import { expectFailure, faultOfFailure, runCli } from './harness/cli.ts'
import { copyHome, deliveriesIn, makeHome, storeOf, withStore } from './harness/home.ts'
import { figures } from './harness/need.ts'
import { integrityFault } from './harness/soundness.ts'

const PUSH = ['inbox', 'push', '--to', 'quinn', 'one more']
const COMMANDS = [
  PUSH,
  ['inbox', 'drain', '--agent', 'quinn'],
  ['inbox', 'list'],
  ['inbox', 'ack', '--agent', 'quinn', 'msg_x'],
]
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
      for (const command of COMMANDS) expectFailure(await runCli(home, command), code)

      const doctor = await runCli(home, ['doctor', '--json'])
      expect(doctor.code).toBe(1)
      expect((JSON.parse(doctor.stdout) as HealthReport).ok).toBe(false)
      expect(contentOf(storeOf(home))).toEqual(before)
    })
  }

  it('is reported, never hidden, wherever a page is damaged', async () => {
    const template = await prepare()
    const pages = readFileSync(storeOf(template)).length / PAGE
    let noticed = 0
    for (let page = 1; page < pages; page++) {
      const home = copyHome(template, join(temporaryFolder(), 'home'))
      overwrite(storeOf(home), page * PAGE, Buffer.alloc(PAGE, 0xa5))
      const ran = await runCli(home, PUSH)
      const doctor = await runCli(home, ['doctor', '--json'])
      if (ran.code !== 0)
        expect([faultOfFailure(ran), ran.stderr]).toEqual([undefined, expect.stringContaining('STORE_CORRUPT')])
      if (integrityOf(home)) expect([page, doctor.code]).toEqual([page, 1])
      if (doctor.code === 1) noticed++
    }
    figures('damaged pages', `${pages - 1} pages, ${noticed} noticed by doctor`)
    expect(noticed).toBeGreaterThan(pages / 2)
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
  it('says so where it may open no more files, and stores the message or not', async () => {
    const home = await prepare()
    let refused = 0
    for (let left = 1; left <= 12; left++) {
      const ran = await runCli(home, PUSH, {
        wrap: ['bash', '-c', 'ulimit -n 100; exec "$@"', 'bash'],
        node: ['--require', FEW_DESCRIPTORS],
        env: { POSTERN_TEST_DESCRIPTORS: `${left}` },
      })
      if (ran.code === 0) continue
      refused++
      expect([left, faultOfFailure(ran)]).toEqual([left, undefined])
    }
    expect(refused).toBeGreaterThan(0)
    expect(await deliveriesIn(home)).toHaveLength(1 + 12 - refused)
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

async function prepare(): Promise<string> {
  const home = makeHome(join(temporaryFolder(), 'home'))
  await withStore(home, async ({ agents, inbox }) => {
    await agents.add({ id: 'quinn' })
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
