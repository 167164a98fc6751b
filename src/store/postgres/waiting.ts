import type { InboxMessage } from '../../model/delivery.ts'
import { readInboxMessage, SELECT_INBOX_MESSAGE } from '../rows.ts'
import { inOrder, LEAST_URGENT, TAKEABLE } from '../shelves/deliveries.ts'
import { readWaiting, WAITING } from '../shelves/waiting.ts'
import type { Sql, SqlRow } from '../sql.ts'
import type { DeliveryShelf, Waiting } from '../store.ts'

/**
 * Whether something waits for an agent, on PostgreSQL. The round trip costs more than the query itself, so a caller that
 * means to drain gets the candidates by the same statement.
 */
export function createWaitingQuery(
  sql: Sql,
  shelf: Pick<DeliveryShelf, 'waiting' | 'candidates'>,
): Pick<DeliveryShelf, 'waiting'> {
  return {
    async waiting(params) {
      if (!('limit' in params)) return shelf.waiting(params)
      const { agent, now, limit, maxPriority = LEAST_URGENT } = params
      const rows = await sql.all(LOOK, [agent, now, maxPriority, limit + 1])
      const [first] = rows
      if (!first) return undefined
      const waiting = readWaiting(first.slice(INBOX_MESSAGE_WIDTH))
      if (!isPlain(waiting)) return waiting
      // Where there are more than were asked for, further looks find the critical ones and the oldest.
      const candidates = rows.length > limit ? await shelf.candidates(params) : readCandidates(rows, sql)
      return { ...waiting, candidates }
    },
  }
}

function isPlain({ pending, broadcasts, lapsed, expired, plans }: Waiting): boolean {
  return pending && !broadcasts && !lapsed && !expired && !plans
}

/** A single row without a message says that none may be taken. */
function readCandidates(rows: readonly SqlRow[], { macs }: Sql): readonly InboxMessage[] {
  return rows[0]?.[0] === null ? [] : inOrder(rows.map((row) => readInboxMessage(row, macs, 'pending')))
}

/** The conditions are those of `isPlain`. */
const LOOK = `WITH look AS MATERIALIZED (${WAITING})
  SELECT c.*, look.* FROM look LEFT JOIN LATERAL (
    SELECT ${SELECT_INBOX_MESSAGE} ${TAKEABLE} AND look.pending = 1 AND look.broadcasts = 0 AND look.lapsed = 0
      AND look.plans = 0
    ORDER BY d.priority, d.inbox_seq LIMIT ?4 + 0
  ) AS c ON true`
const INBOX_MESSAGE_WIDTH = SELECT_INBOX_MESSAGE.split(',').length
