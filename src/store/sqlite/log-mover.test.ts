import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PATIENTLY } from '../../../test/helpers/patience.ts'
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

/** How many frames there are once the next commit has begun the log anew, or gone on with it. */
function framesAfterCommit(connection: Connection): number {
  connection.run('INSERT INTO filler VALUES (?1)', ['little'])
  return framesOf(connection)
}

describe('a log that is moved by a thread', () => {
  it('is left alone while it is small', async () => {
    const connection = await openStore()
    createMover().tend(connection, false)
    expect(logOf(connection)[2]).toBe(0)
  })

  it('begins anew, and whoever writes does not wait for it', async () => {
    const connection = await openStore()
    const mover = createMover()
    for (let round = 0; round < 2; round++) {
      fillLog(connection)
      mover.tend(connection, false)
      expect(logOf(connection)[2], 'nothing is moved before this returns').toBe(0)
      await expect.poll(() => framesAfterCommit(connection), PATIENTLY).toBeLessThan(LARGE_FRAMES)
    }
  })

  it('is another one where the store is', async () => {
    const mover = createMover()
    for (const connection of [await openStore(), await openStore()]) {
      fillLog(connection)
      mover.tend(connection, false)
      await expect.poll(() => framesAfterCommit(connection), PATIENTLY).toBeLessThan(LARGE_FRAMES)
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
    const tended = () => {
      mover.tend(connection, false)
      return framesAfterCommit(connection)
    }
    await expect.poll(tended, PATIENTLY).toBeLessThan(LARGE_FRAMES)
  })

  it.each([
    ['a file that is none', () => join(temporaryFolder(), 'missing.cjs')],
    ['a path that no thread can have', () => 'missing.cjs'],
  ])('is moved by whoever writes where there is only %s for the thread', async (_, fileOf) => {
    const mover = createMover(fileOf())
    const connection = await openStore()
    fillLog(connection)
    const tended = () => {
      mover.tend(connection, false)
      return framesAfterCommit(connection)
    }
    await expect.poll(tended, PATIENTLY).toBeLessThan(LARGE_FRAMES)
  })

  it('goes on while somebody reads, and begins anew afterwards', async () => {
    const connection = await openStore()
    const reader = new Connection(connection.path, { busyMs: 0 })
    const mover = createMover()
    reader.exec('BEGIN')
    reader.get('SELECT count(*) FROM filler')
    fillLog(connection)
    mover.tend(connection, false)
    // Whoever writes meanwhile may find the lock taken for a moment, and no longer.
    for (let round = 0; round < 5; round++)
      await expect.poll(() => framesAfterCommit(connection), PATIENTLY).toBeGreaterThan(LARGE_FRAMES)
    reader.exec('COMMIT')
    reader.close()
    const tended = () => {
      mover.tend(connection, false)
      return framesAfterCommit(connection)
    }
    await expect.poll(tended, PATIENTLY).toBeLessThan(LARGE_FRAMES)
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
