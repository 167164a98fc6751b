import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { openPostern } from '../../../src/host/open/open.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { RING_ALL, RING_RECEIPTS } from '../../../src/model/ring.ts'
import { RING_CHANNEL } from '../../../src/store/sql.ts'
import '../../helpers/global-postgres.ts'
import { needsPostgres } from '../../helpers/needs.ts'
import { createSchema } from '../../helpers/postgres-store.ts'
import { temporaryFolder } from '../../helpers/temp.ts'
import { verifies } from '../../scenarios/verifies.ts'

const adminUrl = inject('postgresUrl')

/** What the seed's runner asks for in every cycle. */
const UNPROCESSED = `SELECT * FROM inbox WHERE to_agent = 'quinn' AND NOT processed ORDER BY created_at, id`

const INDEXES = ['deliveries_pending', 'offers_open', 'messages_broadcast']

const TYPES = 'int4 int8 numeric float8 text varchar json jsonb bool bytea timestamptz text[]'.split(' ')
const OPERATORS = '= <> < > <= >= + - * / % || -> #>> ~ !~'.split(' ')
const FUNCTIONS =
  'to_timestamp upper btrim octet_length quote_literal jsonb_typeof jsonb_build_object unnest split_part pg_notify get_byte'.split(
    ' ',
  )

/** Overloads of what the functions of the view could call, for every pair of types. Each says that it ran, and as whom. */
function plantOverloads(): string {
  const plant = (name: string, types: readonly string[]) =>
    `CREATE FUNCTION "${name}"(${types.join(', ')}) RETURNS bool LANGUAGE plpgsql AS
     $$BEGIN RAISE EXCEPTION 'a planted % ran as %', '${name}(${types.join(', ')})', current_user; END$$;`
  const pairs = TYPES.flatMap((one) => TYPES.map((other) => [one, other] as const))
  return [
    ...FUNCTIONS.flatMap((name) => [...TYPES.map((type) => [type]), ...pairs].map((types) => plant(name, types))),
    ...OPERATORS.flatMap((name) =>
      pairs.flatMap(([left, right]) => [
        plant(`planted ${name}`, [left, right]),
        `CREATE OPERATOR ${name} (FUNCTION = "planted ${name}", LEFTARG = ${left}, RIGHTARG = ${right});`,
      ]),
    ),
  ].join('\n')
}

interface View {
  readonly postern: Postern
  query(text: string): Promise<readonly Row[]>
  /** What has come on the channels that the client listens to. */
  readonly rings: readonly (string | undefined)[]
}

type Row = Readonly<Record<string, unknown>>

describe('the inbox of seed 003 in PostgreSQL', needsPostgres(adminUrl), () => {
  it('shows what waits for an agent with the columns of the seed, and afterwards that it was processed', async () => {
    verifies('S003.inbox-view')
    const { postern, query } = await openPostgresView()
    await showsOneMessage(postern, query)
  })

  it('shows what a message says, with a payload or without one', async () => {
    const { postern, query } = await openPostgresView()
    await showsWords(postern, query)
  })

  it('shows everybody what was sent to all before anybody has taken it up', async () => {
    const { postern, query } = await openPostgresView()
    await showsBroadcast(postern, query)
  })

  it('finds by indexes what is not processed, and reads nothing of what was', async () => {
    const { query } = await openPostgresView()
    await query('SET enable_seqscan = off')
    const plan = (await query(`EXPLAIN ${UNPROCESSED}`)).map((row) => row['QUERY PLAN']).join('\n')
    for (const index of INDEXES) expect(plan).toContain(index)
    expect(plan).not.toMatch(/Seq Scan|delivery_steps/)
  })

  it('takes the INSERT of the seed and shows the agent the message once', async () => {
    const { postern, query } = await openPostgresView()
    const [inserted] = await query(
      `INSERT INTO inbox (to_agent, from_agent, message_type, subject, payload, ref_id, ref_type, priority)
       VALUES ('quinn', 'mindy', 'review.request', 'Look at this', '{"text": "The tests are red."}', 'PROJ-12', 'task', 2)
       RETURNING id, processed, created_at`,
    )
    expect(inserted).toMatchObject({ id: expect.stringMatching(/^msg_[0-9A-Z]{26}:quinn$/), processed: false })
    const drained = await postern.inbox.drain({ agent: 'quinn' })
    expect(drained.messages).toHaveLength(1)
    expect(drained.messages[0]).toMatchObject({
      type: 'review.request',
      subject: 'Look at this',
      content: 'The tests are red.',
      payload: { text: 'The tests are red.' },
      priority: 1,
      ref: 'task:PROJ-12',
      from: { id: 'mindy', kind: 'ai', verified: false, via: 'sql' },
      authenticated: false,
    })
    expect((await postern.inbox.drain({ agent: 'quinn' })).messages).toHaveLength(0)
    const { checks } = await postern.upkeep.check()
    expect(checks.find(({ name }) => name === 'store.conservation')).toMatchObject({ ok: true })
    expect(checks.find(({ name }) => name === 'store.triggers')).toMatchObject({ ok: true })
  })

  it.each([
    [`'"at last"'`, 'at last'],
    [`'{"message": "last", "body": " ", "text": "first"}'`, 'first'],
    [`'{"text": {"nested": true}}'`, 'Done'],
    [`'["words"]'`, 'Done'],
    [`'" "'`, 'Done'],
    ['NULL', 'Done'],
  ])('says what messages.send says of the payload %s', async (payload, content) => {
    const { postern, query } = await openPostgresView()
    await query(
      `INSERT INTO inbox (to_agent, from_agent, message_type, subject, payload) VALUES ('quinn', 'mindy', 'fyi', 'Done', ${payload})`,
    )
    const said = payload === 'NULL' ? {} : { payload: JSON.parse(payload.slice(1, -1)) }
    await postern.messages.send({ to_agent: 'quinn', message_type: 'fyi', subject: 'Done', ...said })
    const { messages } = await postern.inbox.drain({ agent: 'quinn' })
    expect(messages.map((message) => message.content)).toEqual([content, content])
  })

  it('sends to all by an INSERT, each with a row of its own that is processed by itself', async () => {
    const { postern, query } = await openPostgresView()
    await query(
      `INSERT INTO inbox (to_agent, from_agent, message_type, subject) VALUES ('ALL', 'mindy', 'fyi', 'We are live')`,
    )
    expect(await query(`SELECT to_agent, processed FROM inbox ORDER BY to_agent`)).toEqual([
      { to_agent: 'justin', processed: false },
      { to_agent: 'quinn', processed: false },
    ])
    await query(`UPDATE inbox SET processed = true, processed_by_session = 'ses-1' WHERE to_agent = 'quinn'`)
    expect(await query(`SELECT to_agent, processed, processed_by_session FROM inbox ORDER BY to_agent`)).toEqual([
      { to_agent: 'justin', processed: false, processed_by_session: null },
      { to_agent: 'quinn', processed: true, processed_by_session: 'ses-1' },
    ])
    expect((await postern.inbox.drain({ agent: 'quinn' })).messages).toHaveLength(0)
    expect((await postern.inbox.drain({ agent: 'justin' })).messages).toHaveLength(1)
  })

  it('acknowledges what a runner says it has processed', async () => {
    const { postern, query } = await openPostgresView()
    const { id } = await postern.inbox.push({ to: ['quinn'], content: 'hello' })
    await query(`UPDATE inbox SET processed = true, processed_at = now() WHERE id = '${id}:quinn'`)
    const { deliveries } = await postern.inbox.trace({ id })
    expect(deliveries[0]).toMatchObject({ agent: 'quinn', state: 'acted' })
    expect((await postern.inbox.drain({ agent: 'quinn' })).messages).toHaveLength(0)
    expect(await query(UNPROCESSED)).toEqual([])
  })

  it('says when and in which session it was processed, though another session was offered it', async () => {
    const { postern, query } = await openPostgresView()
    await postern.inbox.push({ to: ['quinn'], content: 'hello' })
    await postern.inbox.drain({ agent: 'quinn', sessionId: 'ses-1' })
    const [row] = await query(
      `UPDATE inbox SET processed = true, processed_by_session = 'ses-2' RETURNING processed_at, processed_by_session`,
    )
    expect(row).toEqual({ processed_at: expect.any(Date), processed_by_session: 'ses-2' })
    expect(await query(`SELECT processed_at, processed_by_session FROM inbox`)).toEqual([row])
  })

  it('rings whoever waits for a message, or for the receipt of one', async () => {
    const { query, rings } = await openPostgresView()
    await query(`LISTEN ${RING_CHANNEL}`)
    await query(
      `INSERT INTO inbox (to_agent, from_agent, message_type, subject) VALUES ('quinn', 'mindy', 'fyi', 'hi'), ('ALL', 'mindy', 'fyi', 'hi')`,
    )
    await query(`UPDATE inbox SET processed = true WHERE to_agent = 'quinn'`)
    await query(`SELECT 1`)
    expect(rings).toEqual(['quinn', RING_ALL, RING_RECEIPTS])
  })

  it('serves a role that has a right to nothing else, and is not led astray by tables of its own', async () => {
    const { postern, query } = await openPostgresView()
    const role = `runner_${process.pid}`
    const schema = (await query('SELECT current_schema() AS name'))[0]?.['name']
    await query(`CREATE ROLE ${role}`)
    onTestFinished(async () => void (await query(`RESET ROLE; DROP OWNED BY ${role}; DROP ROLE ${role}`)))
    await query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}; GRANT SELECT, INSERT, UPDATE ON inbox TO ${role}`)
    await query(`SET ROLE ${role}; CREATE TEMP TABLE agents (id TEXT); SET search_path = pg_temp`)
    await expect(query(`SELECT * FROM ${schema}.messages`)).rejects.toThrow('permission denied')
    await query(
      `INSERT INTO ${schema}.inbox (to_agent, from_agent, message_type, subject) VALUES ('quinn', 'mindy', 'fyi', 'one'), ('ALL', 'mindy', 'fyi', 'two')`,
    )
    await query(`UPDATE ${schema}.inbox SET processed = true WHERE to_agent = 'quinn' AND subject = 'two'`)
    const { messages } = await postern.inbox.drain({ agent: 'quinn' })
    expect(messages.map(({ subject }) => subject)).toEqual(['one'])
  })

  it('does not store a token that an overload of to_timestamp would make with the rights of the owner', async () => {
    verifies('G16.overloads')
    const { query } = await openPostgresView()
    const { schema } = await becomeIntruder(query)
    await query(`CREATE FUNCTION to_timestamp(numeric) RETURNS timestamptz LANGUAGE plpgsql AS $$BEGIN
      INSERT INTO ${schema}.tokens VALUES ('tok_1', 'hash', 'admin', 'planted', 'mallory', 1);
      RETURN now();
    END$$`)
    await query(
      `INSERT INTO inbox (to_agent, from_agent, message_type, subject) VALUES ('quinn', 'mindy', 'fyi', 'one')`,
    )
    await query('UPDATE inbox SET processed = true')
    await query('RESET ROLE')
    expect(await query('SELECT label FROM tokens')).toEqual([])
  })

  it('runs no function and no operator that another role has made, though it may create them', async () => {
    verifies('G16.overloads')
    const { postern, query } = await openPostgresView()
    const { role, schema } = await becomeIntruder(query)
    await query(plantOverloads())
    // The role's own statements would run what it has planted. Here only the functions of the view could.
    await query(`SET search_path = pg_catalog`)
    await query(
      `INSERT INTO ${schema}.inbox (id, to_agent, from_agent, message_type, subject, payload, context, ref_id, ref_type, priority)
       VALUES ('row-1', 'quinn', 'mindy', 'fyi', 'one', '{"text": "said"}', '{"a": [1]}', 'PROJ-1', 'task', 2),
         (NULL, 'ALL', 'mindy', 'fyi', 'two', NULL, NULL, NULL, NULL, NULL)`,
    )
    await query(`UPDATE ${schema}.inbox SET processed = true WHERE to_agent = 'quinn'`)
    await expect(query(`DELETE FROM ${schema}.inbox`)).rejects.toThrow('rows go by themselves')
    await query(`RESET ROLE; RESET search_path; DROP OWNED BY ${role} CASCADE`)
    const { items } = await postern.inbox.list({ agent: 'quinn', which: 'done' })
    expect(items.map(({ subject }) => subject).sort()).toEqual(['one', 'two'])
  })

  it('lets nobody become a person, change a message, forget or delete one', async () => {
    const { postern, query } = await openPostgresView()
    await query(
      `INSERT INTO inbox (to_agent, from_agent, message_type, subject) VALUES ('quinn', 'justin', 'fyi', 'I am')`,
    )
    const [shown] = (await postern.inbox.drain({ agent: 'quinn' })).messages
    expect(shown?.from).toEqual({ id: 'justin', kind: 'local', verified: false, via: 'sql' })
    await expect(query(`UPDATE inbox SET subject = 'other'`)).rejects.toThrow('a message never changes')
    await expect(query(`DELETE FROM inbox`)).rejects.toThrow('rows go by themselves')
    await query(`UPDATE inbox SET processed = true`)
    await expect(query(`UPDATE inbox SET processed = false`)).rejects.toThrow('stays so')
  })

  it.each([
    [`'nobody', 'mindy', 'fyi', 'hi', 3`, 'is not registered'],
    [`'quinn', 'nobody', 'fyi', 'hi', 3`, 'is not registered'],
    [`'quinn', 'mindy', 'Not A Type', 'hi', 3`, 'message_type'],
    [`'quinn', 'mindy', 'fyi', ' ', 3`, 'subject are needed'],
    [`'quinn', 'mindy', 'fyi', 'hi', 0`, 'priority is 1'],
    [`'quinn', 'mindy', 'fyi', repeat('x', 2000), 3`, 'at most 1 KB'],
  ])('refuses %s in words', async (values, reason) => {
    const { postern, query } = await openPostgresView()
    const insert = `INSERT INTO inbox (to_agent, from_agent, message_type, subject, priority) VALUES (${values})`
    await expect(query(insert)).rejects.toThrow(reason)
    expect((await postern.inbox.drain({ agent: 'quinn' })).messages).toHaveLength(0)
  })

  it('takes a row of the same id only once', async () => {
    const { query } = await openPostgresView()
    const insert = `INSERT INTO inbox (id, to_agent, from_agent, message_type, subject) VALUES ('row-1', 'quinn', 'mindy', 'fyi', 'hi')`
    await query(insert)
    await expect(query(insert)).rejects.toThrow('is there already')
    expect(await query(UNPROCESSED)).toHaveLength(1)
  })
})

describe('the inbox of seed 003 in SQLite', () => {
  it('shows what waits for an agent with the columns of the seed, and afterwards that it was processed', async () => {
    const { postern, query } = await openSqliteView()
    await showsOneMessage(postern, query)
  })

  it('shows what a message says, with a payload or without one', async () => {
    const { postern, query } = await openSqliteView()
    await showsWords(postern, query)
  })

  it('shows everybody what was sent to all before anybody has taken it up', async () => {
    const { postern, query } = await openSqliteView()
    await showsBroadcast(postern, query)
  })

  it('finds by indexes what is not processed', async () => {
    const { query } = await openSqliteView()
    const plan = (await query(`EXPLAIN QUERY PLAN ${UNPROCESSED}`)).map(({ detail }) => detail).join('\n')
    for (const index of INDEXES) expect(plan).toContain(`INDEX ${index}`)
    expect(plan).not.toMatch(/SCAN [abdmo]\b/)
  })

  it('is read-only', async () => {
    const { query } = await openSqliteView()
    await expect(query(`DELETE FROM inbox`)).rejects.toThrow('cannot modify inbox because it is a view')
  })
})

async function showsOneMessage(postern: Postern, query: View['query']): Promise<void> {
  const { id } = await postern.as({ id: 'mindy', kind: 'ai', verified: true, via: 'test' }).inbox.push({
    to: ['quinn'],
    type: 'task.note',
    subject: 'A note',
    content: 'Look',
    payload: { a: 1 },
    context: { b: [2] },
    ref: 'task:PROJ-12',
    priority: 0,
  })
  const [row] = await query(UNPROCESSED)
  expect(Object.keys(row ?? {})).toEqual(
    `id to_agent from_agent message_type subject payload context ref_id ref_type priority processed processed_at processed_by_session created_at`.split(
      ' ',
    ),
  )
  expect(row).toMatchObject({
    id: `${id}:quinn`,
    to_agent: 'quinn',
    from_agent: 'mindy',
    message_type: 'task.note',
    subject: 'A note',
    ref_id: 'PROJ-12',
    ref_type: 'task',
    priority: 1,
    processed_at: null,
    processed_by_session: null,
  })
  expect(plain(row?.['payload'])).toEqual({ a: 1 })
  expect(plain(row?.['context'])).toEqual({ b: [2] })
  const drained = await postern.inbox.drain({ agent: 'quinn' })
  expect(await query(UNPROCESSED)).toHaveLength(1)
  await postern.inbox.confirm({ offerId: drained.offer?.id ?? '', printed: true, evidence: 'shown' })
  expect(await query(UNPROCESSED)).toEqual([])
  expect(await query(`SELECT processed_at IS NOT NULL AS known FROM inbox`)).toHaveLength(1)
}

/** The seed's columns have no other place for it. */
async function showsWords(postern: Postern, query: View['query']): Promise<void> {
  await postern.inbox.push({ to: ['quinn'], subject: 'A mail', content: 'Its words' })
  await postern.inbox.push({ to: ['quinn'], content: 'x'.repeat(100) })
  await postern.messages.send({ to_agent: 'quinn', message_type: 'fyi', subject: 'Done' })
  await postern.messages.send({ to_agent: 'quinn', message_type: 'fyi', subject: 'Said', payload: 'plain "words"' })
  const rows = await query(`SELECT subject, payload FROM inbox ORDER BY subject`)
  expect(rows.map(({ subject, payload }) => [subject, payload])).toEqual([
    ['A mail', asStored({ text: 'Its words' })],
    ['Done', null],
    ['Said', asStored('plain "words"')],
    ['x'.repeat(80), asStored({ text: 'x'.repeat(100) })],
  ])

  function asStored(value: unknown): unknown {
    return typeof rows[0]?.['payload'] === 'string' ? JSON.stringify(value) : value
  }
}

async function showsBroadcast(postern: Postern, query: View['query']): Promise<void> {
  await postern.inbox.push({ to: ['all'], content: 'everybody' })
  const rows = await query(`SELECT to_agent, subject FROM inbox ORDER BY to_agent`)
  expect(rows.map((row) => row['to_agent'])).toEqual(['justin', 'mindy', 'quinn'])
  expect(rows[0]?.['subject']).toBe('everybody')
}

/** PostgreSQL has JSON, SQLite its text. */
function plain(value: unknown): unknown {
  return typeof value === 'string' ? JSON.parse(value) : value
}

async function openPostgresView(): Promise<View> {
  const database = await createSchema(adminUrl)
  onTestFinished(() => database.drop())
  const postern = await openWith(database.url)
  const client = new Client({ connectionString: database.url })
  await client.connect()
  onTestFinished(() => client.end())
  const rings: (string | undefined)[] = []
  client.on('notification', ({ payload }) => rings.push(payload))
  return { postern, rings, query: async (text) => (await client.query(text)).rows }
}

/** Continues as a role that may use the view and create objects in the schema, as every role may up to PostgreSQL 14. */
async function becomeIntruder(query: View['query']): Promise<{ readonly role: string; readonly schema: unknown }> {
  const role = `mallory_${process.pid}`
  const schema = (await query('SELECT current_schema() AS name'))[0]?.['name']
  await query(`CREATE ROLE ${role}`)
  onTestFinished(async () => void (await query(`RESET ROLE; DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`)))
  await query(`GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role}`)
  await query(`GRANT SELECT, INSERT, UPDATE, DELETE ON inbox TO ${role}; SET ROLE ${role}`)
  return { role, schema }
}

async function openSqliteView(): Promise<Omit<View, 'rings'>> {
  const path = join(temporaryFolder(), 'postern.db')
  const postern = await openWith(path)
  const database = new DatabaseSync(path)
  onTestFinished(() => database.close())
  return {
    postern,
    query: async (text) =>
      database
        .prepare(text)
        .all()
        .map((row) => ({ ...row })),
  }
}

async function openWith(store: string): Promise<Postern> {
  const postern = await openPostern({ store, upkeep: false })
  onTestFinished(() => postern.close())
  for (const id of ['quinn', 'mindy']) await postern.agents.add({ id })
  await postern.agents.add({ id: 'justin', kind: 'human' })
  return postern
}
