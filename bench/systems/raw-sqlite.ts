import { closeSync, openSync, utimesSync, watch } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { spine } from '../../src/store/sqlite/migrations/0001-spine.ts'
import type { Body, System, SystemOptions } from './system.ts'

const BUSY_MS = 10_000
const RECIPIENT = 'agent-0'

/** Our tables and indexes by hand, with the fewest statements that keep the same promise: on disk before the answer. */
export async function openRawSqlite(folder: string, _options: SystemOptions = {}): Promise<System> {
  const db = openByHand(join(folder, 'raw.db'))
  const seqOf = db.prepare('UPDATE agents SET inbox_seq = inbox_seq + ?2 WHERE id = ?1 RETURNING inbox_seq')
  const message =
    db.prepare(`INSERT INTO messages (id, type, from_id, from_as, addressed, content, priority, hops, created_at)
    VALUES (?1, 'agent', 'local', 'local/unverified/sdk', ?2, ?3, 2, 0, ?4)`)
  const delivery = db.prepare(`INSERT INTO deliveries (agent_id, inbox_seq, message_seq, priority, state)
    VALUES (?1, ?2, ?3, 2, 'pending')`)
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const pending = db.prepare(`SELECT m.id, m.type, m.from_id, m.from_as, m.addressed, m.subject, m.content, m.extras,
      m.priority, m.created_at, d.inbox_seq FROM deliveries d JOIN messages m ON m.seq = d.message_seq
    WHERE d.agent_id = ?1 AND d.state = 'pending' ORDER BY d.priority, d.inbox_seq LIMIT ?2`)
  pending.setReturnArrays(true)
  // All messages have one priority, so those taken are the oldest: one range of the inbox.
  const mark = db.prepare(`UPDATE deliveries SET state = 'seen', attempt = 1
    WHERE agent_id = ?1 AND inbox_seq BETWEEN ?2 AND ?3`)
  const newId = createIds()
  const bell = join(folder, 'bell')
  closeSync(openSync(bell, 'a'))

  const pushMany = (bodies: readonly string[]) => {
    begin.run()
    let seq = (seqOf.get(RECIPIENT, bodies.length) as { inbox_seq: number }).inbox_seq - bodies.length
    for (const body of bodies) {
      const { lastInsertRowid } = message.run(newId(), RECIPIENT, body, Date.now())
      delivery.run(RECIPIENT, ++seq, lastInsertRowid)
    }
    commit.run()
  }
  const take = (count: number): Body[] => {
    begin.run()
    const rows = pending.all(RECIPIENT, count) as unknown as unknown[][]
    if (rows.length > 0) mark.run(RECIPIENT, rows[0]![10] as number, rows.at(-1)![10] as number)
    commit.run()
    return rows.map((row) => JSON.parse(row[6] as string) as Body)
  }
  let rings = 0
  return {
    push: (body) => pushMany([body]),
    pushMany,
    drain: (count) => take(count).length,
    async listen(onBody) {
      watch(bell, () => {
        for (const body of take(20)) onBody(body)
      })
    },
    ring: () => utimesSync(bell, ++rings, rings),
    close: () => db.close(),
  }
}

export function openByHand(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: BUSY_MS, enableForeignKeyConstraints: false })
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16384')
  db.exec('BEGIN IMMEDIATE')
  const { tables } = db.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() as { tables: number }
  if (tables === 0) {
    db.exec(spine)
    const agent = db.prepare(`INSERT INTO agents (id, kind, display_name, id_skeleton, name_skeleton, is_owner,
      broadcast_from, broadcast_cursor, created_at) VALUES (?1, 'ai', ?1, ?1, ?1, 0, 0, 0, 0)`)
    for (let i = 0; i < 128; i++) agent.run(`agent-${i}`)
  }
  db.exec('COMMIT')
  return db
}

/** Growing, as ours are, and different in every process. */
function createIds(): () => string {
  let count = 0
  return () => `msg_${Date.now().toString(36)}${(count++).toString(36).padStart(8, '0')}${process.pid}`
}
