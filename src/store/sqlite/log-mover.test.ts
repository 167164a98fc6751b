import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DEAD_MACHINE_MS, PATIENTLY } from '../../../test/helpers/patience.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { Connection } from './connection.ts'
import type { LogKeeper } from './log.ts'
import { createLogMover } from './log-mover.ts'
import { openConnection } from './open.ts'

const LARGE_FRAMES = 4_000
const PAGE = 'x'.repeat(4_000)

async function openStore(path = join(temporaryFolder(), 'postern.db')): Promise<Connection> {
  const connection = await openConnection({ path, random: Math.random })
  connection.exec('CREATE TABLE IF NOT EXISTS filler (text TEXT)')
  // The thread holds the lock of all writers for a moment.
  connection.exec(`PRAGMA busy_timeout = ${DEAD_MACHINE_MS}`)
  onTestFinished(() => connection.close())
  return connection
}

function createMover(file?: string): LogKeeper {
  const mover = createLogMover(file)
  onTestFinished(() => mover.close())
  return mover
}

function fillLog(connection: Connection): void {
  connection.exec('BEGIN')
  for (let i = 0; i < LARGE_FRAMES; i++) connection.run('INSERT INTO filler VALUES (?1)', [PAGE])
  connection.exec('COMMIT')
  expect(framesOf(connection)).toBeGreaterThan(LARGE_FRAMES)
}

const logOf = (connection: Connection) => connection.get('PRAGMA wal_checkpoint(NOOP)') ?? []
const framesOf = (connection: Connection) => Number(logOf(connection)[1])

/** A thread that is told to move the log and does not. */
const IDLE_THREAD = `require('node:worker_threads').parentPort.on('message', (order) => {
  if (order === 'end') process.exit()
})`

/** How many frames there are once the next commit has begun the log anew, or gone on with it. */
function framesAfterCommit(connection: Connection): number {
  connection.run('INSERT INTO filler VALUES (?1)', ['little'])
  return framesOf(connection)
}

/** Tends and commits, as a writer does, until the log begins anew. One call of `tend` may do nothing: the thread may be busy. */
async function expectNewLog(mover: LogKeeper, connection: Connection): Promise<void> {
  const tended = () => {
    mover.tend(connection, false)
    return framesAfterCommit(connection)
  }
  await expect.poll(tended, PATIENTLY).toBeLessThan(LARGE_FRAMES)
}

describe('a log that is moved by a thread', () => {
  it('is left alone while it is small', async () => {
    const connection = await openStore()
    createMover().tend(connection, false)
    expect(logOf(connection)[2]).toBe(0)
  })

  it('is not moved by the writer', async () => {
    const idle = join(temporaryFolder(), 'thread.cjs')
    writeFileSync(idle, IDLE_THREAD)
    const connection = await openStore()
    fillLog(connection)
    createMover(idle).tend(connection, false)
    expect(logOf(connection)[2]).toBe(0)
  })

  it('begins anew every time that it is large', async () => {
    const connection = await openStore()
    const mover = createMover()
    for (let round = 0; round < 2; round++) {
      fillLog(connection)
      await expectNewLog(mover, connection)
    }
  })

  it('is another one where the store is', async () => {
    const mover = createMover()
    for (const connection of [await openStore(), await openStore()]) {
      fillLog(connection)
      await expectNewLog(mover, connection)
    }
  })

  it('is moved by whoever writes where it was left by others, and where there is no thread', async () => {
    const broken = join(temporaryFolder(), 'thread.cjs')
    writeFileSync(broken, 'throw new Error("no thread today")')
    const mover = createMover(broken)
    const connection = await openStore()
    fillLog(connection)
    mover.tend(connection, true)
    expect(framesAfterCommit(connection)).toBeLessThan(LARGE_FRAMES)
    fillLog(connection)
    await expectNewLog(mover, connection)
  })

  it.each([
    ['a file that is none', () => join(temporaryFolder(), 'missing.cjs')],
    ['a path that no thread can have', () => 'missing.cjs'],
  ])('is moved by whoever writes where there is only %s for the thread', async (_, fileOf) => {
    const mover = createMover(fileOf())
    const connection = await openStore()
    fillLog(connection)
    await expectNewLog(mover, connection)
  })

  it('goes on while somebody reads, and begins anew afterwards', async () => {
    const connection = await openStore()
    const reader = new Connection(connection.path, { busyMs: 0 })
    const mover = createMover()
    reader.exec('BEGIN')
    reader.get('SELECT count(*) FROM filler')
    fillLog(connection)
    mover.tend(connection, false)
    for (let round = 0; round < 5; round++)
      await expect.poll(() => framesAfterCommit(connection), PATIENTLY).toBeGreaterThan(LARGE_FRAMES)
    reader.exec('COMMIT')
    reader.close()
    await expectNewLog(mover, connection)
  })

  it('is closed with the store, which then lies in one file', async () => {
    const mover = createLogMover()
    const path = join(temporaryFolder(), 'postern.db')
    const connection = await openConnection({ path, random: Math.random })
    connection.exec('CREATE TABLE filler (text TEXT)')
    fillLog(connection)
    mover.tend(connection, false)
    await mover.close()
    await mover.close()
    connection.close()
    expect(existsSync(`${path}-wal`)).toBe(false)
  })
})
