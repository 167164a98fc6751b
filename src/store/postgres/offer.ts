import { NEW_OFFER_COLUMNS, newOfferValues } from '../rows.ts'
import { stretchesOf } from '../shelves/offers.ts'
import { LostRace, type Sql } from '../sql.ts'
import type { OfferShelf } from '../store.ts'
import { arrayLiteral } from './statements.ts'

/**
 * Opening an offer on PostgreSQL: one statement, which needs no transaction around it. It takes all of the candidates
 * or none, so they need not have been locked since they were looked at.
 */
export function createOpener(sql: Sql): Pick<OfferShelf, 'open'> {
  return {
    async open(params) {
      const { taken } = params
      const stretches = stretchesOf(taken)
      const opening = sql.run(OPEN, [
        ...newOfferValues(params),
        arrayLiteral(stretches.map(([first]) => first)),
        arrayLiteral(stretches.map(([, last]) => last)),
        taken.reduce((sum, { attempt }) => sum + attempt, 0),
      ])
      return (await opening.catch(failRace)) === 1
    },
  }
}

/** What the table says of an offer without a size. */
function failRace(error: Error & { readonly code?: string; readonly column?: string }): never {
  throw error.code === '23502' && error.column === 'size' ? new LostRace() : error
}

/**
 * What somebody else has locked is about to change, so it counts as gone. The count of a pending delivery
 * never falls below what it was: where their sum is still the same, each of them is. The stretches are found one by one and the rows by their places, so that no plan
 * reads the rest of the inbox. A place that is not the statement's to see leaves the offer without a size, and the table
 * refuses it.
 */
export const OPEN = `WITH taken AS MATERIALIZED (
  SELECT d.* FROM unnest(?10::bigint[], ?11::bigint[]) AS s (first, last), LATERAL (
    SELECT d.ctid AS place, d.state, d.attempt FROM deliveries d
    WHERE d.agent_id = ?2 AND d.inbox_seq BETWEEN s.first AND s.last FOR UPDATE SKIP LOCKED) AS d
), whole AS MATERIALIZED (
  SELECT array_agg(t.place) AS places FROM taken t
  HAVING count(*) = ?7::int AND sum(t.attempt) = ?12::bigint AND bool_and(t.state = 'pending')
), delivery AS (
  UPDATE deliveries d SET state = 'offered', attempt = d.attempt + 1, offer_id = ?1
  WHERE d.ctid = ANY ((SELECT w.places FROM whole w)::tid[]) RETURNING 1
)
INSERT INTO offers (${NEW_OFFER_COLUMNS})
  SELECT ?1::text, ?2::text, ?3::text, ?4::text, ?5::bigint, ?6::bigint,
    (SELECT CASE WHEN count(*) = ?7::int THEN ?7::int END FROM delivery), ?8::text, ?9::text FROM whole`
