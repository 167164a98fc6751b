import { type SearchPart, searchableWords } from '../model/search.ts'
import type { Found, FoundUnindexed, MessageShelf } from './contract/messages.ts'
import type { MessageMacs } from './message-macs.ts'
import { MESSAGE_COLUMNS, readMessage, SELECT_MESSAGE } from './rows.ts'
import type { Sql, SqlRow } from './sql.ts'

type Unindexed = Pick<MessageShelf, 'searchUnindexed'>

/** How many messages a page reads at most, and it ends once they have so many characters. */
const PAGE = 100
const PAGE_CHARACTERS = 500_000
/** What one slice of indexing reads before it ends. */
export const SLICE_CHARACTERS = 1_000_000

const [SUBJECT, CONTENT, SEQ] = [
  MESSAGE_COLUMNS.indexOf('subject'),
  MESSAGE_COLUMNS.indexOf('content'),
  MESSAGE_COLUMNS.length,
]

/** Searches what is not indexed yet, which `condition` tells of the messages `m`. */
export function createUnindexedSearcher(sql: Sql, condition: string): Unindexed {
  return {
    async searchUnindexed({ parts, agent, shared, before }): Promise<FoundUnindexed> {
      const params = [before ?? Number.MAX_SAFE_INTEGER, agent ?? '', shared ?? '', PAGE]
      const rows = await sql.all(
        `SELECT ${SELECT_MESSAGE}, m.seq, CASE WHEN ${isKnownTo('?2')} AND ${isKnownTo('?3')} THEN 1 ELSE 0 END FROM messages m
         WHERE ${condition} AND m.seq < ?1 ORDER BY m.seq DESC LIMIT ?4 + 0`,
        params,
      )
      const found: Found[] = []
      let characters = 0
      for (const [at, row] of rows.entries()) {
        if (row.at(-1) === 1 && hasAll(wordsOf(row[SUBJECT], row[CONTENT]), parts)) found.push(readFound(row, sql.macs))
        characters += row[CONTENT].length
        if (characters > PAGE_CHARACTERS && at < rows.length - 1) return { found, before: row[SEQ] }
      }
      return { found, before: rows.length < PAGE ? undefined : rows.at(-1)?.[SEQ] }
    },
  }
}

/** Whether an agent sent or was sent the message `m`, or will take it up; true where no agent is named. */
export function isKnownTo(agent: string): string {
  return `(${agent} = '' OR m.from_id = ${agent} OR EXISTS (
    SELECT 1 FROM deliveries d WHERE d.message_seq = m.seq AND d.agent_id = ${agent}) OR EXISTS (
    SELECT 1 FROM agents a WHERE a.id = ${agent} AND a.broadcast_cursor < m.broadcast_seq AND a.removed_at IS NULL
      AND a.kind <> 'service'))`
}

/** A row with the columns of a message and its number. */
export function readFound(row: SqlRow, macs: MessageMacs | undefined): Found {
  return { message: readMessage(row, macs), seq: row[SEQ] }
}

export function wordsOf(subject: string | null, content: string): string[] {
  return searchableWords(`${subject ?? ''}\n${content}`)
}

export function hasAll(text: readonly string[], parts: readonly SearchPart[]): boolean {
  return parts.every((part) => text.some((_, at) => isAt(text, at, part)))
}

function isAt(text: readonly string[], at: number, { words, prefix }: SearchPart): boolean {
  return words.every((word, index) => {
    const there = text[at + index] ?? ''
    return prefix && index === words.length - 1 ? there.startsWith(word) : there === word
  })
}

/** The first rows of a slice, until they have enough characters. The content is their last column. */
export function sliceOf(rows: readonly SqlRow[]): readonly SqlRow[] {
  let characters = 0
  const end = rows.findIndex((row) => {
    characters += row.at(-1).length
    return characters > SLICE_CHARACTERS
  })
  return end === -1 ? rows : rows.slice(0, end + 1)
}
