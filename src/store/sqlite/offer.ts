import { NEW_OFFER_COLUMNS, newOfferValues } from '../rows.ts'
import { stretchesOf } from '../shelves/offers.ts'
import type { NewOffer, OfferShelf } from '../store.ts'
import type { Connection } from './connection.ts'

const MANY_STRETCHES = 4

/** Opening an offer on SQLite. Its candidates may have been looked at before the write transaction began. */
export function createOpener(current: () => Connection): Pick<OfferShelf, 'open'> {
  return {
    async open(params) {
      const connection = current()
      if (!areAllPending(connection, params)) return false
      take(connection, params)
      connection.run(INSERT_OFFER, newOfferValues(params))
      return true
    },
  }
}

/** The count of a pending delivery never falls below what it was: if their sum is still the same, each of them is. */
function areAllPending(connection: Connection, { offer: { agent }, taken }: NewOffer): boolean {
  const attempts = taken.reduce((sum, { attempt }) => sum + attempt, 0)
  const list = JSON.stringify(taken.map(({ inboxSeq }) => inboxSeq))
  const [count, sum] = connection.get(PENDING, [agent, list]) ?? []
  return count === taken.length && sum === attempts
}

const PENDING = `SELECT count(*), sum(d.attempt) FROM json_each(?2) AS s
  CROSS JOIN deliveries d ON d.agent_id = ?1 AND d.inbox_seq = s.value WHERE d.state = 'pending'`

/** What is taken mostly stands together in the inbox, and a stretch of it is found at once. */
function take(connection: Connection, { offer: { id, agent }, taken }: NewOffer): void {
  const stretches = stretchesOf(taken)
  if (stretches.length > MANY_STRETCHES) {
    const list = JSON.stringify(taken.map((message) => message.inboxSeq))
    connection.run(`${OFFERED} inbox_seq IN (SELECT value FROM json_each(?3))`, [agent, id, list])
    return
  }
  for (const [first, last] of stretches) {
    connection.run(`${OFFERED} inbox_seq BETWEEN ?3 AND ?4`, [agent, id, first, last])
  }
}

/** OR FAIL spares SQLite a copy of every page that changes: a verb that fails is taken back as a whole anyway. */
const OFFERED = `UPDATE OR FAIL deliveries SET state = 'offered', attempt = attempt + 1, offer_id = ?2 WHERE agent_id = ?1 AND`

const INSERT_OFFER = `INSERT INTO offers (${NEW_OFFER_COLUMNS})
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)`
