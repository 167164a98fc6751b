import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { HealthReport } from '../../src/model/postern.ts'
import { plantQuiet, quietIn } from '../helpers/quiet.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { campaign } from '../helpers/tier.ts'
import { expectFailure, runCli } from './harness/cli.ts'
import { makeHome, storeOf, withStore } from './harness/home.ts'

const RESTORE_AND_JSON = (backup: string) => ['restore', backup, '--json']

/** A home with a backup of its first message, and a second message that is younger. */
async function prepare(): Promise<{ home: string; backup: string }> {
  const home = makeHome(join(temporaryFolder(), 'home'))
  const backup = join(temporaryFolder(), 'backup.db')
  await withStore(home, async ({ agents, inbox }) => {
    await agents.add({ id: 'quinn' })
    await inbox.push({ to: ['quinn'], content: 'before the backup' })
  })
  expect((await runCli(home, ['backup', backup])).stdout).toBe(`Saved as ${backup}.\n`)
  await withStore(home, ({ inbox }) => inbox.push({ to: ['quinn'], content: 'after the backup' }))
  return { home, backup }
}

async function pendingIn(home: string): Promise<string[]> {
  const { items } = await withStore(home, ({ inbox }) => inbox.list({ agent: 'quinn' }))
  return items.map(({ content }) => content)
}

function messagesIn(folder: string): string[] {
  const store = new DatabaseSync(join(folder, 'postern.db'))
  const rows = store.prepare('SELECT content FROM messages').all()
  store.close()
  return rows.map(({ content }) => String(content))
}

async function checkOf(home: string, name: string) {
  const { checks } = await withStore(home, ({ upkeep }) => upkeep.check())
  return checks.find((check) => check.name === name)
}

describe('postern restore', () => {
  it('puts a backup in the place of the store, keeps what it replaces, and alarms nobody', async () => {
    const { home, backup } = await prepare()
    plantQuiet(home, ['quinn'])
    writeFileSync(`${storeOf(home)}-suspect`, '')
    const ran = await runCli(home, RESTORE_AND_JSON(backup))
    const { replaced } = JSON.parse(ran.stdout)
    expect([quietIn(home), readdirSync(replaced).includes('postern.db')]).toEqual([[], true])
    expect(readdirSync(home).filter((name) => name.startsWith('postern.db'))).toEqual([
      'postern.db',
      'postern.db-clock',
      'postern.db-end',
    ])
    expect(readFileSync(`${storeOf(home)}-end`, 'utf8')).not.toBe(
      readFileSync(join(replaced, 'postern.db-end'), 'utf8'),
    )
    expect(statSync(storeOf(home)).mode & 0o777).toBe(0o600)
    expect(await pendingIn(home)).toEqual(['before the backup'])
    expect(await checkOf(home, 'store.completeness')).toMatchObject({ ok: true })
    expect((await runCli(home, RESTORE_AND_JSON(join(replaced, 'postern.db')))).code).toBe(0)
    expect(await pendingIn(home)).toEqual(['before the backup', 'after the backup'])
  })

  it('works where the store is damaged beyond reading, or missing', async () => {
    const { home, backup } = await prepare()
    for (const damage of [
      () => writeFileSync(storeOf(home), 'This is a letter and no database. '.repeat(200)),
      () => rmSync(storeOf(home)),
    ]) {
      damage()
      expect((await runCli(home, ['restore', backup])).code).toBe(0)
      expect(await pendingIn(home)).toEqual(['before the backup'])
    }
  })

  it('refuses while another process has the store open, and changes nothing', async () => {
    const { home, backup } = await prepare()
    await withStore(home, async ({ inbox }) => {
      expectFailure(await runCli(home, ['restore', backup]), 'STORE_IN_USE')
      await inbox.push({ to: ['quinn'], content: 'meanwhile' })
    })
    expect(await pendingIn(home)).toEqual(['before the backup', 'after the backup', 'meanwhile'])
    expect(readdirSync(home).filter((name) => name.startsWith('replaced'))).toEqual([])
  })

  it.runIf(process.platform === 'linux')(
    'refuses while another process has opened the file, though it has not read it yet',
    async () => {
      const { home, backup } = await prepare()
      const { ino } = statSync(storeOf(home))
      const late = new DatabaseSync(storeOf(home))
      expectFailure(await runCli(home, ['restore', backup]), 'STORE_IN_USE')
      expect(late.prepare('SELECT count(*) AS messages FROM messages').get()).toEqual({ messages: 2 })
      late.close()
      expect(statSync(storeOf(home)).ino).toBe(ino)
      expect(readdirSync(home).filter((name) => /restore|replaced/.test(name))).toEqual([])
      expect(await checkOf(home, 'store.completeness')).toMatchObject({ ok: true })
      expect(await pendingIn(home)).toEqual(['before the backup', 'after the backup'])
    },
  )

  campaign(
    'loses nothing that was acknowledged beside it: it is in the store, or in the files that were kept',
    { quick: 3, full: 10, long: 300, most: 10 },
    async (rounds) => {
      const { home, backup } = await prepare()
      const acknowledged: string[] = []
      for (let round = 0; round < rounds; round++) {
        let isOver = false
        const restoring = runCli(home, ['restore', backup]).finally(() => {
          isOver = true
        })
        while (!isOver) {
          const content = `message ${acknowledged.length}`
          await withStore(home, ({ inbox }) => inbox.push({ to: ['quinn'], content }))
          acknowledged.push(content)
          await nextTurn()
        }
        const ran = await restoring
        if (ran.code !== 0) expectFailure(ran, 'STORE_IN_USE')
      }
      const kept = readdirSync(home).filter((name) => name.startsWith('replaced-'))
      const found = new Set([home, ...kept.map((name) => join(home, name))].flatMap(messagesIn))
      expect(acknowledged.filter((content) => !found.has(content))).toEqual([])
    },
  )

  it('is left to people, and people are told of it', async () => {
    const { home } = await prepare()
    await withStore(home, ({ agents }) => agents.add({ id: 'justin', kind: 'human', isOwner: true }))
    const backup = join(temporaryFolder(), 'with-justin.db')
    await runCli(home, ['backup', backup])
    const asJustin = ['restore', backup, '--as', 'justin']
    for (const words of [['restore', backup], asJustin])
      expectFailure(await runCli(home, words, { env: { CLAUDECODE: '1' } }), 'NOT_ALLOWED')
    expectFailure(await runCli(home, ['restore', backup, '--as', 'quinn']), 'NOT_ALLOWED')
    expect(readdirSync(home).filter((name) => name.startsWith('replaced'))).toEqual([])
    writeFileSync(storeOf(home), 'This is a letter and no database. '.repeat(200))
    expectFailure(await runCli(home, ['restore', backup], { env: { CLAUDECODE: '1' } }), 'NOT_ALLOWED')
    expect((await runCli(home, ['restore', backup])).stderr).toBe('')
    expect((await runCli(home, asJustin)).stderr).toBe('')
    const { items } = await withStore(home, ({ inbox }) => inbox.list({ agent: 'justin' }))
    expect(items).toMatchObject([
      { from: { id: 'justin' }, content: expect.stringContaining(`Restored by justin from ${backup}`) },
    ])
  })

  it.each<[string, (backup: string) => void]>([
    ['missing', (backup) => rmSync(backup)],
    ['empty', (backup) => truncateSync(backup, 0)],
    ['cut off', (backup) => truncateSync(backup, readFileSync(backup).length / 2)],
    ['some other file', (backup) => writeFileSync(backup, 'a letter '.repeat(900))],
    ['a store with a log', (backup) => writeFileSync(`${backup}-wal`, 'x')],
  ])('changes nothing if the backup is %s', async (_, damage) => {
    const { home, backup } = await prepare()
    chmodSync(backup, 0o600)
    damage(backup)
    expectFailure(await runCli(home, ['restore', backup]), 'RESTORE_FAILED')
    expect(await pendingIn(home)).toEqual(['before the backup', 'after the backup'])
    expect(existsSync(join(home, 'quiet'))).toBe(false)
    expect(readdirSync(home).filter((name) => /restore|replaced/.test(name))).toEqual([])
  })
})

describe('postern restore of a file that is not for this Postern', () => {
  it.each<[string, (database: DatabaseSync) => void, 'RESTORE_FAILED' | 'STORE_NEWER', (backup: string) => string]>([
    [
      'a database of another program',
      (database) => database.exec('PRAGMA application_id = 7'),
      'RESTORE_FAILED',
      (backup) => `The backup ${backup} was not restored: it is not a backup of Postern.`,
    ],
    [
      'a backup of a newer Postern',
      (database) => database.exec('PRAGMA user_version = 9999'),
      'STORE_NEWER',
      (backup) => `The store ${backup} was written by a newer Postern`,
    ],
  ])('names the file if it is %s', async (_, change, code, said) => {
    const { home, backup } = await prepare()
    const database = new DatabaseSync(backup)
    change(database)
    database.close()
    const ran = await runCli(home, ['restore', backup])
    expectFailure(ran, code)
    expect(ran.stderr).toContain(said(backup))
    expect(readdirSync(home).filter((name) => /restore|replaced/.test(name))).toEqual([])
  })
})

describe('a full check', () => {
  it('finds a byte that was changed in the file of the store, and doctor remembers it', async () => {
    const { home } = await prepare()
    expect((await checkOf(home, 'store.verified'))?.detail).toContain('full check of 1 message ')
    const bytes = readFileSync(storeOf(home))
    bytes.write('beFore', bytes.indexOf('before the backup'))
    writeFileSync(storeOf(home), bytes)
    const quick: HealthReport = JSON.parse((await runCli(home, ['doctor', '--json'])).stdout)
    expect(quick.checks.find(({ name }) => name === 'store.verified')).toMatchObject({ ok: true })
    const ran = await runCli(home, ['doctor', '--full', '--json'])
    const { checks }: HealthReport = JSON.parse(ran.stdout)
    const fault = expect.stringMatching(/^message msg_\w+ does not match its checksum$/)
    expect(checks.find(({ name }) => name === 'store.contents')).toMatchObject({ ok: false, detail: fault })
    expect(ran.code).toBe(1)
    expect(await checkOf(home, 'store.verified')).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/: 1 fault$/),
    })
  })

  it('ends the warning of a loss once somebody has acknowledged it', async () => {
    const { home } = await prepare()
    writeFileSync(`${storeOf(home)}-end`, '000000000000999\n')
    expect(await checkOf(home, 'store.completeness')).toMatchObject({ ok: false })
    const acknowledging = ['doctor', '--acknowledge-loss']
    expectFailure(await runCli(home, acknowledging, { env: { CLAUDECODE: '1' } }), 'NOT_ALLOWED')
    expectFailure(await runCli(home, [...acknowledging, '--as', 'quinn']), 'NOT_ALLOWED')
    expect(await checkOf(home, 'store.completeness')).toMatchObject({ ok: false })
    await runCli(home, acknowledging)
    expect(await checkOf(home, 'store.completeness')).toMatchObject({ ok: true })
  })
})
