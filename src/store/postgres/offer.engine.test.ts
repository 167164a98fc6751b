import type { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { addAgents, itemFor, push, usePostgres } from '../../../test/helpers/postgres-store.ts'
import type { InboxMessage } from '../../model/delivery.ts'
import type { Offer } from '../../model/offer.ts'
import { expiredOf } from '../shelves/deliveries.ts'
import { WAITING } from '../shelves/waiting.ts'
import type { Store } from '../store.ts'
import { OPEN } from './offer.ts'

const createWorld = usePostgres()

let offers = 0

function offerOf(taken: readonly InboxMessage[]): Offer {
  const open = { printedAt: null, closedAt: null, outcome: null, evidence: null }
  const id = `off_${String(++offers).padStart(26, '0')}`
  return { id, agent: 'ada', sessionId: null, via: 'test', offeredAt: 1, expiresAt: 5_000, size: taken.length, ...open }
}

describe('a drain on PostgreSQL', () => {
  const look = (store: Store, agent: string, limit = 20) =>
    store.read.deliveries.waiting({ agent, now: 1_000, limit, criticalLimit: 200 })

  const candidatesOf = async (store: Store, agent: string) => (await look(store, agent))?.candidates ?? []

  const open = (store: Store, taken: readonly InboxMessage[]) =>
    store.single((tx) => tx.offers.open({ offer: offerOf(taken), taken, headlines: [] }))

  const statesOf = async (client: Client) =>
    (await client.query('SELECT state, attempt FROM deliveries ORDER BY agent_id, inbox_seq')).rows.map(
      ({ state, attempt }) => `${state} ${attempt}`,
    )

  it('is shown what it may take by its first look, where nothing but that waits', async () => {
    const store = await (await createWorld()).open()
    await addAgents(store, 'ada')
    const items = [itemFor(['ada'], { priority: 3 }), itemFor(['ada']), itemFor(['ada'], { priority: 0 })]
    await push(store, ...items)
    const [oldest, normal, critical] = items.map(({ message }) => message.id)
    expect((await candidatesOf(store, 'ada')).map(({ id }) => id)).toEqual([critical, normal, oldest])
    const more = (await look(store, 'ada', 1))?.candidates?.map(({ id }) => id)
    expect(more).toEqual([critical, normal, oldest])
    expect(await look(store, 'bob')).toBeUndefined()
    await push(store, itemFor(['ada'], { expiresAt: 999 }))
    expect(await look(store, 'ada')).toEqual({
      pending: true,
      broadcasts: false,
      lapsed: false,
      expired: true,
      plans: false,
      hosted: false,
    })
  })

  it('looks no further than at what is pending, though all that there was once had been', async () => {
    const { open: openStore, connect } = await createWorld()
    const store = await openStore()
    await addAgents(store, 'ada')
    await push(store, ...Array.from({ length: 1_000 }, () => itemFor(['ada'])))
    const client = await connect()
    await client.query(`ANALYZE; SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan`)
    await client.query(`PREPARE look (text, bigint) AS ${WAITING.replace(/\?(\d)/g, '$$$1')}`)
    const { rows } = await client.query(`EXPLAIN EXECUTE look ('ada', 1)`)
    const indexes = rows.flatMap((row) => String(row['QUERY PLAN']).match(/(?:using|Index Scan on) (\w+)/)?.[1] ?? [])
    const ofMail = ['deliveries_own_expiry', 'deliveries_pending', 'deliveries_snoozed', 'offers_open', 'offers_open']
    const others = ['agents_pkey', 'counters_pkey', 'gates_open', 'plans_next', 'sessions_pkey']
    expect(indexes.sort()).toEqual([...ofMail, ...others].sort())
  })

  it('reads nothing of what has expired for others', async () => {
    const { open: openStore, connect } = await createWorld()
    await openStore()
    const client = await connect()
    await client.query('SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan')
    await client.query(`PREPARE expired (bigint, bigint, text) AS ${expiredOf('ada').replace(/\?(\d)/g, '$$$1')}`)
    const { rows } = await client.query(`EXPLAIN EXECUTE expired (1, 2, 'ada')`)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toMatch(
      /using deliveries_own_expiry .*\s+Index Cond: .*ROW\(agent_id, expires_at\) <= ROW\(\$3, \$1\)/,
    )
  })

  it('takes all that it saw with one statement', async () => {
    const { open: openStore, connect } = await createWorld()
    const store = await openStore()
    await addAgents(store, 'ada', 'bob')
    await push(store, itemFor(['ada']), itemFor(['ada']), itemFor(['ada']), itemFor(['bob']))
    const [first, , third] = await candidatesOf(store, 'ada')
    expect(await open(store, [first, third] as InboxMessage[])).toBe(true)
    expect(await statesOf(await connect())).toEqual(['offered 1', 'pending 0', 'offered 1', 'pending 0'])
  })

  it('reads nothing of an inbox but what it takes, though it was planned on an empty store', async () => {
    const { open: openStore, connect } = await createWorld()
    await openStore()
    const client = await connect()
    await client.query('SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan')
    await client.query(`PREPARE open AS ${OPEN.replace(/\?(\d+)/g, '$$$1')}`)
    const { rows } = await client.query(
      `EXPLAIN EXECUTE open ('off', 'ada', NULL, 'test', 1, 2, 1, '[1]', NULL, '{1}', '{1}', 0)`,
    )
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toMatch(/Index Cond: \(\(agent_id = \$2\) AND \(inbox_seq >= s.first\) AND \(inbox_seq <= s.last\)\)/)
    expect(plan).toContain('Tid Scan on deliveries')
  })

  it('takes nothing where something of it was taken or given back meanwhile', async () => {
    const { open: openStore, connect } = await createWorld()
    const store = await openStore()
    await addAgents(store, 'ada')
    await push(store, itemFor(['ada']), itemFor(['ada']))
    const seen = await candidatesOf(store, 'ada')
    const other = offerOf(seen.slice(1))
    await store.single((tx) => tx.offers.open({ offer: other, taken: seen.slice(1), headlines: [] }))
    expect(await open(store, seen)).toBe(false)
    const lapsed = { id: other.id, at: 5, outcome: 'lapsed', evidence: 'a test', maxAttempts: 9 } as const
    await store.transact((tx) => tx.offers.close(lapsed))
    expect(await open(store, seen)).toBe(false)
    expect(await statesOf(await connect())).toEqual(['pending 0', 'pending 1'])
    expect(await open(store, await candidatesOf(store, 'ada'))).toBe(true)
  })

  it('waits for nobody who has one of its messages in hand', async () => {
    const { open: openStore, connect } = await createWorld()
    const store = await openStore()
    await addAgents(store, 'ada')
    await push(store, itemFor(['ada']), itemFor(['ada']))
    const holder = await connect()
    await holder.query('BEGIN; SELECT 1 FROM deliveries WHERE inbox_seq = 2 FOR UPDATE')
    expect(await open(store, await candidatesOf(store, 'ada'))).toBe(false)
    await holder.query('ROLLBACK')
    expect(await statesOf(holder)).toEqual(['pending 0', 'pending 0'])
  })

  it('waits for the disk at its commit, also where it need not last', async () => {
    const { open: openStore, connect } = await createWorld()
    const store = await openStore()
    const admin = await connect()
    await admin.query(`CREATE TABLE commits (setting TEXT);
      CREATE FUNCTION note() RETURNS TRIGGER LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO commits VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER note AFTER INSERT ON offers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note()`)
    await addAgents(store, 'ada')
    for (const isDurable of [true, false]) {
      await push(store, itemFor(['ada']))
      const taken = await candidatesOf(store, 'ada')
      const params = { offer: offerOf(taken), taken, headlines: [] }
      await store.transact((tx) => tx.offers.open(params), { isDurable })
    }
    const { rows } = await admin.query('SELECT setting FROM commits')
    expect(rows.map(({ setting }) => setting)).toEqual(['on', 'on'])
  })
})
