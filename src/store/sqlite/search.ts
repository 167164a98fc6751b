import type { SearchPart } from '../../model/search.ts'
import { SELECT_MESSAGE } from '../rows.ts'
import { createUnindexedSearcher, isKnownTo, readFound, sliceOf, wordsOf } from '../search.ts'
import type { Sql } from '../sql.ts'
import type { Searcher } from '../store.ts'

/** Full-text search by FTS5. Words are split by us, so that both engines find the same. */
export function createSearcher(sql: Sql): Searcher {
  return {
    ...createUnindexedSearcher(sql, UNINDEXED),

    async indexForSearch({ limit }) {
      const read = await sql.all(
        `SELECT m.seq, m.subject, m.content FROM messages m WHERE ${UNINDEXED} ORDER BY m.seq LIMIT ?1 + 0`,
        [limit],
      )
      const rows = sliceOf(read)
      for (const [seq, subject, content] of rows) {
        const words = wordsOf(subject, content).join(' ')
        await sql.run('INSERT INTO message_search (rowid, words) VALUES (?1, ?2)', [seq, words])
      }
      const last = rows.at(-1)?.[0]
      if (last !== undefined) await sql.run(`UPDATE counters SET value = ?1 WHERE name = 'search'`, [last])
      return rows.length === limit || rows.length < read.length
    },

    async search({ parts, agent, shared, limit }) {
      const rows = await sql.all(
        `SELECT ${SELECT_MESSAGE}, m.seq FROM message_search s JOIN messages m ON m.seq = s.rowid
         WHERE message_search MATCH ?1 AND ${isKnownTo('?2')} AND ${isKnownTo('?4')}
         ORDER BY s.rowid DESC LIMIT ?3 + 0`,
        [parts.map(matchExpression).join(' AND '), agent ?? '', limit, shared ?? ''],
      )
      return rows.map((row) => readFound(row, sql.macs))
    },
  }
}

const UNINDEXED = `m.seq > (SELECT value FROM counters WHERE name = 'search')`

/** Words hold letters, digits and marks only, so quoting them is all that FTS5's grammar needs. */
function matchExpression({ words, prefix }: SearchPart): string {
  return `"${words.join(' ')}"${prefix ? '*' : ''}`
}
