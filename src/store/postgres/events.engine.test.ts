import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { addAgents, itemFor, push, usePostgres } from '../../../test/helpers/postgres-store.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import type { Store } from '../store.ts'

const createWorld = usePostgres({ isShared: false })

async function subjectsAfter(store: Store, cursor: string) {
  const { items, hasGap, isHeldBack } = await store.read.events.after({ cursor, limit: 100 })
  return { subjects: items.map(({ subject }) => subject), hasGap, isHeldBack, last: items.at(-1)?.cursor ?? cursor }
}

/** Waits for the moment when nothing older is open any more: whoever cleans up in the background may be. */
async function settled(store: Store): Promise<string> {
  for (;;) {
    const cursor = await store.read.events.last()
    if (!(await store.read.events.after({ cursor, limit: 1 })).isHeldBack) return cursor
  }
}

describe('events on PostgreSQL', () => {
  it('never come before one that was already shown, however late a transaction commits', async () => {
    const { open, connect } = await createWorld()
    const store = await open()
    await addAgents(store, 'ada', 'bob', 'cyd')
    const start = await settled(store)
    const [early, late] = [await connect(), await connect()]
    // The first to begin, by its id and by its number, and the last to end.
    await early.query(`BEGIN; UPDATE agents SET display_name = 'Ada' WHERE id = 'ada'`)
    await late.query(`BEGIN; UPDATE agents SET display_name = 'Bob' WHERE id = 'bob'`)
    await late.query('COMMIT')
    expect(await subjectsAfter(store, start)).toEqual({ subjects: [], hasGap: false, isHeldBack: true, last: start })
    await early.query(`UPDATE agents SET display_name = 'Cyd' WHERE id = 'cyd'`)
    await early.query('COMMIT')
    await settled(store)
    expect(await subjectsAfter(store, start)).toMatchObject({ subjects: ['ada', 'cyd', 'bob'], isHeldBack: false })
  })

  it('are only delayed by a transaction that stays open, and go on behind it', async () => {
    const { open, connect } = await createWorld()
    const store = await open()
    await addAgents(store, 'ada')
    const start = await settled(store)
    const foreign = await connect()
    await foreign.query('BEGIN; SELECT pg_current_xact_id()')
    const item = itemFor(['ada'])
    await push(store, item)
    expect(await subjectsAfter(store, start)).toMatchObject({ subjects: [], isHeldBack: true })
    await foreign.query('ROLLBACK')
    await settled(store)
    expect(await subjectsAfter(store, start)).toMatchObject({ subjects: [item.message.id] })
  })

  it('are none of what was rolled back', async () => {
    const { open, connect } = await createWorld()
    const store = await open()
    await addAgents(store, 'ada')
    const start = await settled(store)
    await (await connect()).query(`BEGIN; UPDATE agents SET display_name = 'Ada' WHERE id = 'ada'; ROLLBACK`)
    expect((await subjectsAfter(store, start)).subjects).toEqual([])
  })

  it('are kept as many as are wanted, a bounded number is removed at once, and the rest says what is gone', async () => {
    const { open } = await createWorld()
    const store = await open()
    await addAgents(store, 'ada')
    const start = await store.read.events.last({ back: 1_000 })
    const items = Array.from({ length: 20 }, () => itemFor(['ada']))
    await push(store, ...items)
    await settled(store)
    const ids = items.map(({ message }) => message.id)
    const reap = (keep: number, limit: number) => store.transact((tx) => tx.events.reap({ before: 0, keep, limit }))
    expect(await reap(15, 4)).toBe(4)
    expect(await reap(15, 4)).toBe(2)
    expect(await reap(15, 4)).toBe(0)
    expect(await subjectsAfter(store, start)).toMatchObject({ subjects: ids.slice(5), hasGap: true })
    const oldest = await store.read.events.last({ back: 1_000 })
    expect(await subjectsAfter(store, oldest)).toMatchObject({ subjects: ids.slice(5), hasGap: false })
    expect(await reap(0, 100)).toBe(14)
    expect(await reap(0, 100)).toBe(0)
  })

  it('stay behind in a backup, whose triggers tell of what happens where it is restored', async () => {
    const { open, connect } = await createWorld()
    await (await connect()).query(
      'CREATE SCHEMA others; CREATE TABLE others.things (x INT); CREATE TABLE things (x INT)',
    )
    const store = await open()
    await addAgents(store, 'ada')
    const path = join(temporaryFolder(), 'postern.dump')
    await store.backup(path)
    expect(execFileSync('pg_restore', ['--list', path], { encoding: 'utf8' })).not.toContain('things')

    const copy = await createWorld()
    execFileSync('pg_restore', ['--exit-on-error', '--dbname', copy.url, path])
    const restored = await copy.open()
    const start = await restored.read.events.last({ back: 1_000 })
    const item = itemFor(['ada'])
    await push(restored, item)
    await settled(restored)
    expect(await subjectsAfter(restored, start)).toMatchObject({ subjects: [item.message.id], hasGap: false })
  })

  it('that nobody would write are missed by the check', async () => {
    const { open, connect } = await createWorld()
    const store = await open()
    const verdict = async () => (await store.check()).find(({ name }) => name === 'store.triggers')
    expect(await verdict()).toMatchObject({ ok: true })
    await (await connect()).query('DROP FUNCTION note_messages() CASCADE')
    expect(await verdict()).toMatchObject({ ok: false, detail: 'missing: note_message_created' })
  })

  it('of another server, ahead of our ids, are never shown, and are removed', async () => {
    const { open, connect } = await createWorld()
    const store = await open()
    await addAgents(store, 'ada')
    const start = await settled(store)
    const client = await connect()
    await client.query(`INSERT INTO events (tx, at, type, subject) VALUES ('9000000000', 1, 'agent.added', 'stranger');
      INSERT INTO event_floor VALUES ('9000000000', 7)`)
    expect(await subjectsAfter(store, start)).toMatchObject({ subjects: [], hasGap: false })
    await store.transact((tx) => tx.events.reap({ before: 0, keep: 1_000, limit: 10 }))
    const { rows } = await client.query(
      `SELECT 1 FROM events WHERE subject = 'stranger' UNION ALL SELECT 2 FROM event_floor`,
    )
    expect(rows).toEqual([])
  })
})
