import type { Space } from '../../model/sources/space.ts'
import type { SpaceShelf } from '../contract/spaces.ts'
import { POST_COLUMNS, postValues, readPost, SELECT_POST } from '../post-rows.ts'
import { locking, type Sql, type SqlRow } from '../sql.ts'

export function createSpaceShelf(sql: Sql): SpaceShelf {
  const lock = locking(sql, 'FOR UPDATE')
  const posts = async (rest: string, params: readonly (string | number)[]) =>
    (await sql.all(`SELECT ${SELECT_POST} FROM space_posts p WHERE ${rest}`, params)).map(readPost)

  return {
    async insert({ id, name, joining, history, createdBy, createdAt, closedAt }) {
      const inserted = await sql.run(
        `INSERT INTO spaces (id, name, joining, history, created_by, created_at, closed_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (id) DO NOTHING`,
        [id, name, joining, history, createdBy, createdAt, closedAt],
      )
      return inserted > 0
    },

    async setRules({ id, joining, history }) {
      await sql.run('UPDATE spaces SET joining = ?2, history = ?3 WHERE id = ?1', [id, joining, history])
    },

    async get(id) {
      const row = await sql.get(`SELECT ${SPACE_COLUMNS} FROM spaces s WHERE s.id = ?1 ${lock}`, [id])
      return row && readSpace(row)
    },

    async list({ member, closed, visibleTo }) {
      const rows = await sql.all(
        `SELECT ${SPACE_COLUMNS}, (SELECT count(*) FROM ${PRESENT} AND m.space_id = s.id), s.post_seq, s.last_post_at
         FROM spaces s WHERE (?2 = 1 OR s.closed_at IS NULL)
           AND (?1 = '' OR EXISTS (SELECT 1 FROM space_members m WHERE m.space_id = s.id AND m.agent_id = ?1))
           AND (?3 = '' OR s.joining = 'open' OR s.created_by = ?3
             OR EXISTS (SELECT 1 FROM space_members m WHERE m.space_id = s.id AND m.agent_id = ?3))
         ORDER BY s.id`,
        [member ?? '', closed ? 1 : 0, visibleTo ?? ''],
      )
      return rows.map((row) => {
        const [members, count, lastPostAt] = row.slice(SPACE_WIDTH)
        return { ...readSpace(row), members: Number(members), posts: count, lastPostAt }
      })
    },

    async close({ id, at }) {
      await sql.run('UPDATE spaces SET closed_at = ?2 WHERE id = ?1 AND closed_at IS NULL', [id, at])
    },

    async members(id) {
      const rows = await sql.all(
        `SELECT m.agent_id, m.joined_at FROM ${PRESENT} AND m.space_id = ?1 ORDER BY m.agent_id`,
        [id],
      )
      return rows.map(([agent, joinedAt]) => ({ agent, joinedAt }))
    },

    async isMember({ id, agent }) {
      return (
        (await sql.get('SELECT 1 FROM space_members WHERE space_id = ?1 AND agent_id = ?2', [id, agent])) !== undefined
      )
    },

    async joinedAfter({ id, agent }) {
      const row = await sql.get('SELECT after_seq FROM space_members WHERE space_id = ?1 AND agent_id = ?2', [
        id,
        agent,
      ])
      return row?.[0]
    },

    async join({ id, agent, at }) {
      await sql.run(
        `INSERT INTO space_members (space_id, agent_id, joined_at, after_seq)
         SELECT s.id, CAST(?2 AS TEXT), CAST(?3 AS BIGINT), s.post_seq FROM spaces s WHERE s.id = ?1
         ON CONFLICT (space_id, agent_id) DO NOTHING`,
        [id, agent, at],
      )
    },

    async leave({ id, agent }) {
      await sql.run('DELETE FROM space_members WHERE space_id = ?1 AND agent_id = ?2', [id, agent])
      await sql.run('DELETE FROM active_spaces WHERE agent_id = ?2 AND space_id = ?1', [id, agent])
    },

    async leaveAll({ agent }) {
      if (lock !== '')
        await sql.all(
          `SELECT s.id FROM spaces s WHERE s.id IN (SELECT space_id FROM space_members WHERE agent_id = ?1)
           ORDER BY s.id ${lock}`,
          [agent],
        )
      await sql.run('DELETE FROM space_members WHERE agent_id = ?1', [agent])
      await sql.run('DELETE FROM active_spaces WHERE agent_id = ?1', [agent])
    },

    async post({ id, messageId, from, senderName, content, priority, replyTo, dedupKey, createdAt }) {
      const [seq] =
        (await sql.get(
          'UPDATE spaces SET post_seq = post_seq + 1, last_post_at = ?2 WHERE id = ?1 RETURNING post_seq',
          [id, createdAt],
        )) ?? []
      const post = { seq, messageId, from, senderName, content, priority, replyTo, createdAt }
      await sql.run(INSERT_POST, postValues({ ...post, spaceId: id, dedupKey }))
      return post
    },

    async withKey({ id, from, dedupKey }) {
      return (
        await posts('space_id = ?1 AND from_id = ?2 AND dedup_key = ?3 AND dedup_key IS NOT NULL', [id, from, dedupKey])
      )[0]
    },

    async ofMessage({ id, messageId }) {
      return (await posts('message_id = ?2 AND space_id = ?1', [id, messageId]))[0]
    },

    async history({ id, after = 0, before = Number.MAX_SAFE_INTEGER, limit }) {
      const latest = await posts('space_id = ?1 AND seq > ?2 AND seq < ?3 ORDER BY seq DESC LIMIT ?4 + 0', [
        id,
        after,
        before,
        limit,
      ])
      return latest.toReversed()
    },

    following: ({ id, after, limit }) =>
      posts('space_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3 + 0', [id, after, limit]),

    async setActive({ agent, id }) {
      if (id === null) await sql.run('DELETE FROM active_spaces WHERE agent_id = ?1', [agent])
      else
        await sql.run(
          `INSERT INTO active_spaces (agent_id, space_id) VALUES (?1, ?2)
           ON CONFLICT (agent_id) DO UPDATE SET space_id = excluded.space_id`,
          [agent, id],
        )
    },

    async active({ agent }) {
      return (await sql.get('SELECT space_id FROM active_spaces WHERE agent_id = ?1', [agent]))?.[0]
    },
  }
}

const SPACE_COLUMNS = 's.id, s.name, s.joining, s.history, s.created_by, s.created_at, s.closed_at'
const SPACE_WIDTH = 7

function readSpace([id, name, joining, history, createdBy, createdAt, closedAt]: SqlRow): Space {
  return { id, name, joining, history, createdBy, createdAt, closedAt }
}

/** Who was removed in the moment of joining is no member. */
const PRESENT = 'space_members m JOIN agents a ON a.id = m.agent_id WHERE a.removed_at IS NULL'

const INSERT_POST = `INSERT INTO space_posts (${POST_COLUMNS.join(', ')})
  VALUES (${POST_COLUMNS.map((_, at) => `?${at + 1}`).join(', ')})`
