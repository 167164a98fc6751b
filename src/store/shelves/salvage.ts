import type { InboxMessage } from '../../model/delivery.ts'
import { PosternError } from '../../model/errors.ts'
import type { Message } from '../../model/message.ts'
import { damagedMessage, readMessage, SELECT_MESSAGE } from '../rows.ts'
import type { Sql, SqlRow, SqlValue } from '../sql.ts'

/** The columns of a delivery from which `salvage` goes on. */
export const SALVAGED = 'd.agent_id, d.attempt, d.inbox_seq, d.message_seq, d.expires_at'

export function isCorrupt(error: unknown): boolean {
  return error instanceof PosternError && error.code === 'STORE_CORRUPT'
}

/**
 * Reads the rows of deliveries from their table alone if an index has a corrupt page. The given function makes the query
 * for the words that name the table. NOT INDEXED would still use an index, because the table has no row numbers.
 */
export async function readAround(sql: Sql, query: (deliveries: string) => SqlQuery): Promise<readonly SqlRow[]> {
  try {
    return await sql.all(...query('deliveries d'))
  } catch (error) {
    if (!isCorrupt(error) || sql.engine !== 'sqlite') throw error
    return sql.all(...query('deliveries d INDEXED BY sqlite_autoindex_deliveries_1'))
  }
}

type SqlQuery = readonly [text: string, params: readonly SqlValue[]]

/**
 * Reads the messages of deliveries one by one, after reading them together has met a corrupt page. So such a page costs
 * the messages on it, not the whole inbox. The rows begin with `SALVAGED`; a state and a time of waking may follow.
 */
export async function salvage(sql: Sql, rows: readonly SqlRow[]): Promise<InboxMessage[]> {
  const messages: InboxMessage[] = []
  for (const [agent, attempt, inboxSeq, messageSeq, expiresAt, state = 'pending', until = null] of rows) {
    const found = await readOne(sql, messageSeq)
    const delivery = { agent, attempt, inboxSeq, expiresAt, state, ...(until !== null && { snoozedUntilAt: until }) }
    messages.push({ ...(found ?? damagedMessage('unreadable')), ...delivery })
  }
  return messages
}

async function readOne(sql: Sql, messageSeq: number): Promise<Message | undefined> {
  try {
    const row = await sql.get(`SELECT ${SELECT_MESSAGE} FROM messages m WHERE m.seq = ?1`, [messageSeq])
    return row && readMessage(row, sql.macs)
  } catch (error) {
    if (!isCorrupt(error)) throw error
    return undefined
  }
}
