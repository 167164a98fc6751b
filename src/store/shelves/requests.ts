import type { DeliveryState } from '../../model/delivery.ts'
import type { DeliveryShelf } from '../contract/deliveries.ts'
import { STATE_NOW } from '../rows.ts'
import { isAmong, locking, type Sql, type SqlRow, type SqlValue } from '../sql.ts'
import { createDeliveryShelf, quoted } from './deliveries.ts'

const UNFINISHED: readonly DeliveryState[] = ['pending', 'held', 'offered', 'seen']

const BEGINS_WITH = 'd.dedup_key >= ?2 AND d.dedup_key < ?3'

/** What finds deliveries by their dedup keys. */
export function createRequestShelf(sql: Sql): Pick<DeliveryShelf, 'finish' | 'keysOf'> {
  const { move } = createDeliveryShelf(sql)

  return {
    async finish({ agents, keys, prefix, at, by, reason }) {
      const rows = [...(await under(agents, isAmong(sql, 'd.dedup_key', '?2', 'text'), [JSON.stringify(keys)]))]
      if (prefix !== undefined) rows.push(...(await under(agents, BEGINS_WITH, rangeOf(prefix))))
      for (const [agent, id, state, printedAt] of rows) {
        const isShown = state === 'seen' || (state === 'offered' && printedAt !== null)
        await move({ id, agent, from: [state as DeliveryState], to: isShown ? 'acted' : 'cancelled', at, by, reason })
      }
      return [...new Set(rows.map(([agent]) => agent as string))]
    },

    async keysOf({ agent, prefix, limit }) {
      const rows = await sql.all(
        `SELECT d.dedup_key FROM deliveries d WHERE d.agent_id = ?1 AND ${BEGINS_WITH} ORDER BY d.dedup_key LIMIT ?4 + 0`,
        [agent, ...rangeOf(prefix), limit],
      )
      return rows.map(([key]) => key)
    },
  }

  function under(
    agents: readonly string[],
    condition: string,
    values: readonly SqlValue[],
  ): Promise<readonly SqlRow[]> {
    return sql.all(
      `SELECT d.agent_id, m.id, ${STATE_NOW}, o.printed_at FROM deliveries d JOIN messages m ON m.seq = d.message_seq
       LEFT JOIN offers o ON o.id = d.offer_id
       WHERE ${isAmong(sql, 'd.agent_id', '?1', 'text')} AND ${condition} AND ${STATE_NOW} IN (${quoted(UNFINISHED)})
       ORDER BY d.agent_id, d.inbox_seq ${locking(sql, 'FOR UPDATE OF d')}`,
      [JSON.stringify(agents), ...values],
    )
  }
}

/** The keys that begin with a text lie between it and the same text with its last character raised. */
function rangeOf(prefix: string): [string, string] {
  return [prefix, prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)]
}
