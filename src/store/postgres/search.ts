import type { SearchPart } from '../../model/search.ts'
import { SELECT_MESSAGE } from '../rows.ts'
import { createUnindexedSearcher, hasAll, isKnownTo, readFound, sliceOf, wordsOf } from '../search.ts'
import type { Sql, SqlRow } from '../sql.ts'
import type { Found, Searcher } from '../store.ts'
import { arrayLiteral } from './statements.ts'

/** PostgreSQL keeps no lexeme beyond 2 KB. Of a longer word the index knows the beginning; the text knows the rest. */
const WORD_LENGTH = 200
const PAGE = 200

/**
 * Full-text search by a GIN index over the set of words of each message, split by us so that both engines find the
 * same. The index proposes messages that have all the words; whether they follow each other is read from the text
 * itself, because PostgreSQL forgets positions beyond the 16,383rd word and the 256th occurrence.
 */
export function createSearcher(sql: Sql): Searcher {
  return {
    ...createUnindexedSearcher(sql, IS_UNINDEXED),

    /**
     * Sequence numbers become visible out of order, so what is not indexed yet is found by looking, above a floor.
     * The floor rises in two steps: a number is noted with the transactions of that moment, and once all of those
     * have ended, nothing below it can appear any more. A transaction that stays open only keeps the floor low, and
     * two servers may index the same at once.
     */
    async indexForSearch({ limit }) {
      // In this order: whoever took a number up to `last` had begun when the transactions were counted.
      const [last] = (await sql.get(LAST_NUMBER)) ?? []
      const [isOver, until, noted] = (await sql.get(TRANSACTIONS)) ?? []
      const read = await sql.all(UNINDEXED, [limit])
      const rows = sliceOf(read)
      if (rows.length === 0) return false
      const hasMore = rows.length === limit || rows.length < read.length
      await sql.run(INDEX, [arrayLiteral(rows.map(([seq]) => seq)), arrayLiteral(rows.map(indexedWords))])
      if (isOver === 0) return hasMore
      const floor = hasMore ? Math.min(noted, rows.at(-1)?.[0]) : noted
      await sql.run(RAISE_FLOOR, [floor, floor === noted ? last : null, floor === noted ? until : null])
      return hasMore
    },

    async search({ parts, agent, shared, limit }) {
      const found: Found[] = []
      const mustRead = parts.some(({ words }) => words.length > 1 || words.some((word) => word.length > WORD_LENGTH))
      let before = Number.MAX_SAFE_INTEGER
      const pageSize = mustRead ? Math.max(limit, PAGE) : limit
      while (found.length < limit) {
        const words = parts.map(matchExpression).join(' & ')
        const rows = await sql.all(SEARCH, [words, agent ?? '', before, pageSize, shared ?? ''])
        const page = rows.map((row) => readFound(row, sql.macs))
        found.push(...(mustRead ? page.filter((each) => isMatch(each, parts)) : page))
        if (rows.length < pageSize) break
        before = page.at(-1)?.seq ?? 0
      }
      return found.slice(0, limit)
    },
  }
}

function indexedWords([, subject, content]: SqlRow): string {
  return [...new Set(wordsOf(subject, content).map((word) => word.slice(0, WORD_LENGTH)))].join(' ')
}

/** Words hold letters, digits and marks only, so quoting them is all that the grammar needs. */
function matchExpression({ words, prefix }: SearchPart): string {
  return words
    .map((word, at) => `'${word.slice(0, WORD_LENGTH)}'${prefix && at === words.length - 1 ? ':*' : ''}`)
    .join(' & ')
}

function isMatch({ message: { subject, content } }: Found, parts: readonly SearchPart[]): boolean {
  return hasAll(wordsOf(subject, content), parts)
}

/** Every writer of ours counts something up first, so it has its transaction id before its message has a number. */
const LAST_NUMBER = 'SELECT last_value FROM messages_seq_seq'

/** Whether those of the noted moment have ended; where those of this moment end; the noted number. */
const TRANSACTIONS = `SELECT CASE WHEN pg_snapshot_xmin(s)::text::bigint >= u.value THEN 1 ELSE 0 END, pg_snapshot_xmax(s)::text, n.value
  FROM pg_current_snapshot() AS s, counters u, counters n WHERE u.name = 'search_until' AND n.name = 'search_next'`

const IS_UNINDEXED = `m.seq > (SELECT value FROM counters WHERE name = 'search')
    AND (SELECT 1 FROM message_search s WHERE s.message_seq = m.seq) IS NULL`
const UNINDEXED = `SELECT m.seq, m.subject, m.content FROM messages m WHERE ${IS_UNINDEXED} ORDER BY m.seq LIMIT ?1 + 0`

const INDEX = `INSERT INTO message_search (message_seq, words)
  SELECT w.seq, array_to_tsvector(string_to_array(w.words, ' ')) FROM unnest(?1::bigint[], ?2::text[]) AS w (seq, words)
  ORDER BY w.seq ON CONFLICT DO NOTHING`

/** Once the floor has come up to what was noted, the present moment is noted. */
const RAISE_FLOOR = `UPDATE counters SET value = CASE name WHEN 'search' THEN ?1::bigint
    WHEN 'search_next' THEN coalesce(?2::bigint, value) ELSE coalesce(?3::bigint, value) END
  WHERE name IN ('search', 'search_next', 'search_until')`

/** The words alone choose the index: walking back through all messages would be slow for a rare word. */
const SEARCH = `WITH hit AS MATERIALIZED (SELECT s.message_seq FROM message_search s WHERE s.words @@ ?1::tsquery)
  SELECT ${SELECT_MESSAGE}, m.seq FROM hit h JOIN messages m ON m.seq = h.message_seq
  WHERE h.message_seq < ?3 AND ${isKnownTo('?2')} AND ${isKnownTo('?5')}
  ORDER BY h.message_seq DESC LIMIT ?4 + 0`
