import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { createAside } from './aside.ts'
import { asSql } from './connection.ts'
import { openConnection } from './open.ts'
import { createSharing } from './sharing.ts'
import { openSqliteStore } from './store.ts'

/** Takes longer than anything that a test waits for. */
const SLOW = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT count(*) FROM n'

async function openAside(file?: string) {
  const path = join(temporaryFolder(), 'postern.db')
  const connection = await openConnection({ path, random: Math.random })
  onTestFinished(() => connection.close())
  const aside = createAside(file)
  onTestFinished(() => aside.close())
  const here = asSql(path, () => connection)
  return { connection, sql: aside.sql({ path, inode: 1 }, here) }
}

describe('reads on a thread of their own', () => {
  it('see what is committed, and keep nobody from going on', async () => {
    const { connection, sql } = await openAside()
    connection.exec('CREATE TABLE things (name TEXT)')
    connection.run('INSERT INTO things VALUES (?1)', ['a'])
    expect(await sql.all('SELECT name FROM things WHERE name <> ?1', ['b'])).toEqual([['a']])
    const order: string[] = []
    const slow = sql.get(SLOW).then(([count] = []) => order.push(`counted ${count}`))
    await new Promise(setImmediate)
    connection.run('INSERT INTO things VALUES (?1)', ['c'])
    order.push('written')
    await slow
    expect(order).toEqual(['written', 'counted 3000000'])
  })

  it('write nothing, and fail as the engine does', async () => {
    const { sql } = await openAside()
    await expect(sql.all('CREATE TABLE more (name TEXT)')).rejects.toMatchObject({ code: 'STORE_READ_ONLY' })
    await expect(sql.run('CREATE TABLE more (name TEXT)')).rejects.toThrow('nothing is written')
    await expect(sql.all('SELECT nonsense')).rejects.toThrow('nonsense')
  })

  it('are done here where there can be no thread', async () => {
    const { sql } = await openAside('/nowhere/thread.cjs')
    expect(await sql.get('SELECT 7')).toEqual([7])
    expect(await sql.get('SELECT 8')).toEqual([8])
  })

  it('are what a server counts and checks its store with', async () => {
    const path = join(temporaryFolder(), 'postern.db')
    const asked: string[] = []
    const sharing = createSharing()
    const aside: typeof sharing.aside = {
      close: async () => sharing.aside?.close(),
      sql(file, here) {
        const there = sharing.aside?.sql(file, here) ?? here
        return {
          ...there,
          all(text, params) {
            asked.push(text)
            return there.all(text, params)
          },
          get(text, params) {
            asked.push(text)
            return there.get(text, params)
          },
        }
      },
    }
    const store = await openSqliteStore({ path, now: Date.now, random: Math.random, sharing: { ...sharing, aside } })
    onTestFinished(() => store.close())
    expect(await store.read.upkeep.counts()).toMatchObject({ pending: 0 })
    expect((await store.check()).find(({ name }) => name === 'store.integrity')).toMatchObject({ ok: true })
    expect(await store.audit({ limit: 9 })).toEqual([])
    for (const part of ['GROUP BY 1', 'quick_check', 'm.addressed']) expect(asked.join()).toContain(part)
    const before = asked.length
    const page = { states: ['acted'], now: 1, limit: 10 } as const
    await store.read.inboxes.page({ ...page, agent: 'ada' })
    await store.read.agents.list({ removed: false })
    expect(asked.length).toBe(before)
    await store.read.inboxes.page(page)
    await store.read.agents.statuses({ removed: false, now: 1 })
    for (const look of ['pushed', 'delivered'] as const) await store.read.history[look]({ fromId: 'msg_', limit: 9 })
    await store.read.history.waiting({ limit: 9 })
    await store.read.history.offered({ fromId: 'off_', limit: 9 })
    expect(asked.length).toBe(before + 6)
  })
})
