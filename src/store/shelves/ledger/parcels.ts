import type { LedgerParcel, ParcelState } from '../../../model/ledger/parcel.ts'
import type { LedgerShelf } from '../../contract/ledger.ts'
import { locking, type Sql, type SqlRow, type SqlValue } from '../../sql.ts'

type Parcels = Pick<
  LedgerShelf,
  | 'insertParcel'
  | 'lockParcel'
  | 'parcelOfMessage'
  | 'listParcels'
  | 'updateParcel'
  | 'dueParcels'
  | 'lateParcels'
  | 'setAwaited'
  | 'openParcels'
  | 'countParcels'
  | 'spentSince'
  | 'reapParcels'
>

export function createParcels(sql: Sql): Parcels {
  const select = async (rest: string, params: readonly SqlValue[]) =>
    (await sql.all(`SELECT ${COLUMNS.join(', ')} FROM ledger_parcels p WHERE ${rest}`, params)).map(readParcel)

  return {
    async insertParcel(parcel) {
      const { message, createdAt, doneAt } = parcel
      const awaitedSince = message && doneAt === null ? createdAt : null
      await sql.run(INSERT, [...parcelValues(parcel), message?.id ?? null, awaitedSince])
    },

    async lockParcel({ id }) {
      return (await select(`id = ?1 ${locking(sql, 'FOR UPDATE')}`, [id]))[0]
    },

    async parcelOfMessage({ messageId }) {
      return (await select('message_id = ?1', [messageId]))[0]
    },

    listParcels: ({ state, limit }) =>
      select(`${state ? IN_STATE[state] : 'true'} ORDER BY seq DESC, id DESC LIMIT ?1 + 0`, [limit]),

    async updateParcel(parcel) {
      await sql.run(UPDATE, parcelValues(parcel))
    },

    dueParcels: ({ network, now, limit }) => select(DUE, [network, now, limit]),

    lateParcels: ({ network, before, limit }) => select(LATE, [network, before, limit]),

    async setAwaited({ id, since }) {
      await sql.run('UPDATE ledger_parcels SET awaited_since = ?2 WHERE id = ?1', [id, since])
    },

    openParcels: ({ lane }) => select(`${OPEN} ORDER BY seq, id`, [lane]),

    async countParcels({ state }) {
      return Number((await sql.get(`SELECT count(*) FROM ledger_parcels WHERE ${IN_STATE[state]}`))?.[0])
    },

    async spentSince({ network, since }) {
      const row = await sql.get(
        // What was given up before its first step has cost nothing.
        `SELECT sum(price) FROM ledger_parcels
         WHERE network = ?1 AND created_at >= ?2 AND NOT (state = 'dropped' AND done = 0)`,
        [network, since],
      )
      return Number(row?.[0] ?? 0)
    },

    reapParcels: ({ before, limit }) =>
      sql.run(
        `DELETE FROM ledger_parcels WHERE id IN (
           SELECT p.id FROM ledger_parcels p WHERE p.done_at < ?1 AND p.done_at IS NOT NULL
             AND (SELECT 1 FROM messages m WHERE m.id = p.message_id) IS NULL
           ORDER BY p.done_at LIMIT ?2 + 0)`,
        [before, limit],
      ),
  }
}

const COLUMNS = [
  'id',
  'network',
  'purpose',
  'about',
  'lane',
  'payer',
  'steps',
  'price',
  'message',
  'done',
  'made',
  'sequence',
  '"transaction"',
  'attempts',
  'next_at',
  'state',
  'error',
  'created_at',
  'done_at',
] as const

const GIVEN = [...COLUMNS, 'message_id', 'awaited_since']
/** The number comes from the store. Transactions side by side may get the same one; then the ids decide. */
const INSERT = `INSERT INTO ledger_parcels (${GIVEN.join(', ')}, seq) VALUES (${GIVEN.map((_, at) => `?${at + 1}`).join(', ')},
  (SELECT coalesce(max(e.seq), 0) + 1 FROM ledger_parcels e))`
const SET = COLUMNS.map((column, at) => `${column} = ?${at + 1}`).join(', ')
const UPDATE = `UPDATE ledger_parcels SET ${SET} WHERE id = ?1`

/** Few are waiting or refused, of many that are done with: both are found by indexes, which need the state in so many words. */
const IN_STATE: Readonly<Record<ParcelState, string>> = {
  waiting: `id IN (SELECT id FROM ledger_parcels WHERE state = 'waiting')`,
  refused: `id IN (SELECT id FROM ledger_parcels WHERE state = 'refused')`,
  published: `state = 'published'`,
  dropped: `state = 'dropped'`,
}

/** Each by an index of its own. */
const OPEN = `id IN (SELECT id FROM ledger_parcels WHERE state = 'waiting' AND lane = ?1
  UNION ALL SELECT id FROM ledger_parcels WHERE state = 'refused' AND lane = ?1)`

const DUE = `p.state = 'waiting' AND p.next_at <= ?2 AND p.network = ?1 AND NOT EXISTS (
    SELECT 1 FROM ledger_parcels e
    WHERE e.state = 'waiting' AND e.lane = p.lane AND (e.seq, e.id) < (p.seq, p.id) AND e.network = p.network)
  ORDER BY p.seq, p.id LIMIT ?3 + 0`

const LATE = 'p.network = ?1 AND p.awaited_since <= ?2 ORDER BY p.awaited_since, p.seq LIMIT ?3 + 0'

function parcelValues(parcel: LedgerParcel): SqlValue[] {
  const { id, network, purpose, about, lane, payer, steps, price, message } = parcel
  const { done, made, sequence, transaction, attempts, nextAt, state, error, createdAt, doneAt } = parcel
  return [
    ...[id, network, purpose, about, lane, payer, JSON.stringify(steps), price, message && JSON.stringify(message)],
    ...[done, JSON.stringify(made), sequence, transaction, attempts, nextAt, state, error, createdAt, doneAt],
  ]
}

function readParcel(row: SqlRow): LedgerParcel {
  const [id, network, purpose, about, lane, payer, steps, price, message] = row
  const [done, made, sequence, transaction, attempts, nextAt, state, error, createdAt, doneAt] = row.slice(9)
  const what = { id, network, purpose, about, lane, payer, steps: JSON.parse(steps), price }
  const how = { done, made: JSON.parse(made), sequence, transaction, attempts, nextAt, state, error }
  return { ...what, message: message && JSON.parse(message), ...how, createdAt, doneAt }
}
