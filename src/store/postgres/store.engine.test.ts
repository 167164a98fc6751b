import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { addAgents, itemFor, push, usePostgres, waitForLocks } from '../../../test/helpers/postgres-store.ts'
import { createSignal } from '../../../test/helpers/signal.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { FULL } from '../../../test/helpers/tier.ts'
import type { Store } from '../store.ts'
import { MIGRATIONS } from './migrate.ts'
import { openPostgresStore } from './store.ts'

/** The store estimates the server's clock from one answer, which may be late. */
const CLOCK_ERROR_MS = 5_000

const createWorld = usePostgres({ isShared: false })

describe('opening a PostgreSQL store', () => {
  it('makes the schema once, however many open an empty database at once', async () => {
    const { open } = await createWorld()
    const stores = await Promise.all(Array.from({ length: 12 }, () => open()))
    await addAgents(stores[0] as Store, 'quinn')
    for (const store of stores) expect(await store.read.agents.get('quinn')).toMatchObject({ id: 'quinn' })
  })

  it('refuses a store that a newer program made', async () => {
    const { open, connect } = await createWorld()
    await open()
    await (await connect()).query('UPDATE postern_schema SET version = 99')
    await expect(open()).rejects.toMatchObject({ code: 'STORE_NEWER', details: { found: 99 } })
  })

  it('sends nobody away from what is stored here because a name is taken that an upgrade needs', async () => {
    const { open, connect } = await createWorld()
    await open()
    const other = await connect()
    await other.query('UPDATE postern_schema SET version = 6')
    await expect(open()).rejects.toThrow(/relation "\w+" already exists\)\. Rename that/)
    expect((await other.query('SELECT version FROM postern_schema')).rows).toEqual([{ version: 6 }])
  })

  it('keeps its hands off tables of somebody else, and lives in a schema of its own', async () => {
    const { url, open, connect } = await createWorld()
    const other = await connect()
    await other.query('CREATE TABLE messages (text TEXT); CREATE SCHEMA mine')
    await expect(open()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    const store = await open({ url: `${url}?options=-csearch_path%3Dmine` })
    await addAgents(store, 'quinn')
    expect((await other.query('SELECT count(*) FROM mine.agents')).rows).toEqual([{ count: '1' }])
    expect((await other.query('SELECT count(*) FROM messages')).rows).toEqual([{ count: '0' }])
  })

  it('makes spaces of an older store invite-only, and keeps what their members could read', async () => {
    const { open, connect } = await createWorld()
    const client = await connect()
    const before = MIGRATIONS.slice(0, 13)
    await client.query(`CREATE TABLE postern_schema AS SELECT ${before.length} AS version; ${before.join(';')};
      INSERT INTO spaces (id, name, created_by, created_at, post_seq) VALUES ('alpha', 'Alpha', 'local', 1, 7);
      INSERT INTO space_members (space_id, agent_id, joined_at) VALUES ('alpha', 'ann', 1)`)
    const store = await open()
    expect(await store.read.spaces.get('alpha')).toMatchObject({ joining: 'invited', history: 'joined' })
    expect(await store.read.spaces.joinedAfter({ id: 'alpha', agent: 'ann' })).toBe(0)
  })

  it('warns where every role may create objects in its schema', async () => {
    const { open, connect } = await createWorld()
    const store = await open()
    const verdict = async () => (await store.check()).find(({ name }) => name === 'store.schema-rights')
    const owner = await connect()
    await owner.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC')
    expect(await verdict()).toMatchObject({ ok: true })
    await owner.query('GRANT CREATE ON SCHEMA public TO PUBLIC')
    const next = expect.stringContaining('REVOKE CREATE ON SCHEMA public FROM PUBLIC')
    expect(await verdict()).toMatchObject({ ok: false, level: 'warning', next })
  })

  it('says what is wrong with an address', async () => {
    const random = Math.random
    const refused = openPostgresStore({ url: 'postgres://quinn:secret@127.0.0.1:1/x', random })
    await expect(refused).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.not.stringContaining('secret'),
    })
    const { url, open } = await createWorld()
    await expect(open({ url: `${url}_absent` })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  })

  it('acknowledges only what is durable, whatever the default of the server', async () => {
    const { open } = await createWorld()
    const checks = await (await open()).check()
    expect(checks.find(({ name }) => name === 'store.durability')).toMatchObject({
      ok: true,
      detail: 'synchronous_commit=on',
    })
    expect(checks.find(({ name }) => name === 'store.disk')).toMatchObject({ ok: false, level: 'warning' })
    expect(checks.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(['store.disk'])
  })

  it('waits for the disk at every commit, also on a connection whose settings are not ours', async () => {
    const { open, connect } = await createWorld()
    const store = await open()
    const admin = await connect()
    await admin.query(`CREATE TABLE commits (setting TEXT);
      CREATE FUNCTION note() RETURNS TRIGGER LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO commits VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER note AFTER INSERT ON messages DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note();
      CREATE FUNCTION as_a_pooler() RETURNS TRIGGER LANGUAGE plpgsql AS $$
        BEGIN PERFORM set_config('synchronous_commit', 'off', false); RETURN NULL; END $$;
      CREATE TRIGGER as_a_pooler AFTER INSERT ON agents FOR EACH STATEMENT EXECUTE FUNCTION as_a_pooler()`)
    await addAgents(store, 'ada')
    expect((await store.check()).find(({ name }) => name === 'store.durability')).toMatchObject({ ok: false })
    await push(store, itemFor(['ada']))
    await store.push({ items: [itemFor(['ada']), itemFor(['ada'])], pendingLimit: 10 })
    await store.transact((tx) => tx.messages.push({ items: [itemFor(['ada'])], pendingLimit: 10 }))
    expect((await admin.query('SELECT DISTINCT setting FROM commits')).rows).toEqual([{ setting: 'on' }])
  })

  it('pins that for every table', async () => {
    const { open, connect } = await createWorld()
    await open()
    const { rows } = await (
      await connect()
    ).query(`SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'public' AND c.relkind = 'r' AND c.relname <> 'postern_schema' AND NOT EXISTS (
        SELECT 1 FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = 'durable_' || c.relname)`)
    expect(rows).toEqual([])
  })

  it('gives a name to one of two at once, and writes, whatever the defaults of the database', async () => {
    const { url, open, connect } = await createWorld()
    await open()
    const name = new URL(url).pathname.slice(1)
    await (await connect()).query(`ALTER DATABASE "${name}" SET default_transaction_isolation = 'repeatable read';
      ALTER DATABASE "${name}" SET default_transaction_read_only = on`)
    const store = await open()
    const register = (id: string) =>
      store.transact(async (tx) => {
        const agent = { id, kind: 'ai', displayName: 'Ada', isOwner: false, createdAt: 1, removedAt: null } as const
        if ((await tx.agents.lookalikes(['ada'])).length > 0) return false
        return tx.agents.insert({ agent, idSkeleton: id, nameSkeleton: 'ada', withBroadcasts: false })
      })
    const names = Array.from({ length: 6 }, (_, i) => `agent-${i}`)
    expect((await Promise.all(names.map(register))).filter(Boolean)).toHaveLength(1)
    const isolation = (await store.check()).find(({ name }) => name === 'store.isolation')
    expect(isolation).toMatchObject({ ok: true, detail: expect.stringContaining('read committed') })
  })

  it('lets no process that stands still in a transaction keep an inbox for longer than five seconds', {
    ...FULL,
    timeout: 20_000,
  }, async () => {
    const { open } = await createWorld()
    const [still, other] = [await open(), await open()]
    await addAgents(still, 'ada')
    const [locked, ended] = [createSignal<void>(), createSignal<void>()]
    const stopped = still.transact(async (tx) => {
      await tx.messages.push({ items: [itemFor(['ada'])], pendingLimit: 10 })
      locked.fire()
      await ended.next()
    })
    stopped.catch(() => {})
    await locked.next()
    await push(other, itemFor(['ada'])).finally(() => ended.fire())
    await expect(stopped).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(await other.read.deliveries.countPending({ agent: 'ada', now: 0 })).toBe(1)
  })

  it('rings with every push, but not where it serves many, whose commits would wait for each other', async () => {
    const { open, connect } = await createWorld()
    const [plain, shared, ear] = [await open(), await open({ isShared: true }), await connect()]
    await addAgents(plain, 'quinn', 'riley')
    const rung = createSignal<string>()
    ear.on('notification', ({ payload = '' }) => rung.fire(payload))
    await ear.query('LISTEN postern_ring')
    for (const store of [shared, plain]) {
      await push(store, itemFor(['quinn']))
      await push(store, itemFor(['quinn', 'riley']), itemFor(['riley'], { dedupKey: 'k' }))
      await store.transact((tx) => tx.messages.broadcast(itemFor(['all'])))
    }
    // Had the other one rung too, its rings would have come first.
    expect(await rung.times(4)).toEqual(['quinn', 'quinn', 'riley', '@all'])
  })

  it('goes by the clock of the server', async () => {
    const { open, connect } = await createWorld()
    const store = await open()
    const client = await connect()
    const before = store.now()
    const { rows } = await client.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now')
    const theirs = Number(rows[0].now)
    expect(theirs).toBeGreaterThan(before - CLOCK_ERROR_MS)
    expect(theirs).toBeLessThan(store.now() + CLOCK_ERROR_MS)
    expect(Number.isInteger(store.now())).toBe(true)
  })

  it('closes twice, and says so to whoever comes later', async () => {
    const { open } = await createWorld()
    const store = await open()
    await Promise.all([store.close(), store.close()])
    await expect(store.transact((tx) => tx.agents.get('quinn'))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    await expect(store.read.agents.get('quinn')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  })
})

describe('a transaction on PostgreSQL', () => {
  it('is refused a second statement where it promised only one', async () => {
    const store = await (await createWorld()).open()
    const twice = store.single(async (tx) => [await tx.sessions.open({}), await tx.sessions.open({})])
    await expect(twice).rejects.toThrow('second statement')
    expect(await store.single((tx) => tx.sessions.open({}))).toEqual([])
  })

  it('runs a verb again that met a deadlock', async () => {
    const store = await (await createWorld()).open()
    await addAgents(store, 'ada', 'bob')
    let begun = 0
    const both = Promise.withResolvers<void>()
    const crossing = (first: string, second: string) =>
      store.transact(async (tx) => {
        await tx.agents.setRemoved({ id: first, removedAt: null })
        if (++begun === 2) both.resolve()
        await both.promise
        await tx.agents.setRemoved({ id: second, removedAt: null })
      })
    await Promise.all([crossing('ada', 'bob'), crossing('bob', 'ada')])
    // On a busy machine they may meet again.
    expect(begun).toBeGreaterThan(2)
  })

  it('does not pass off as stored what one of its statements failed to store', async () => {
    const store = await (await createWorld()).open()
    await addAgents(store, 'ada')
    const swallowing = store.transact(async (tx) => {
      await tx.messages.push({ items: [itemFor(['ada'])], pendingLimit: 10 })
      await tx.offers.ofSessions({ sessionIds: [], limit: -1 }).catch(() => {})
    })
    await expect(swallowing).rejects.toThrow()
    expect(await store.read.deliveries.countPending({ agent: 'ada', now: 0 })).toBe(0)
  })

  it('is given up, not repeated, when the connection is lost at its commit', async () => {
    const { open, connect } = await createWorld()
    const store = await open()
    await addAgents(store, 'ada')
    const admin = await connect()
    let runs = 0
    const lost = store.transact(async (tx) => {
      runs++
      await tx.messages.push({ items: [itemFor(['ada'])], pendingLimit: 10 })
      await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'postern' AND datname = current_database() AND state = 'idle in transaction'`)
    })
    await expect(lost).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('was lost before the answer came'),
    })
    expect(runs).toBe(1)
    expect(await store.read.deliveries.countPending({ agent: 'ada', now: 0 })).toBe(0)
  })

  it('waits for a lock no longer than it was told', async () => {
    const { open, connect } = await createWorld()
    const store = await open({ busyMs: 200 })
    await addAgents(store, 'ada')
    const holder = await connect()
    await holder.query(`BEGIN; SELECT 1 FROM agents WHERE id = 'ada' FOR UPDATE`)
    await expect(push(store, itemFor(['ada']))).rejects.toMatchObject({ code: 'STORE_BUSY' })
    await holder.query('ROLLBACK')
    await expect(push(store, itemFor(['ada']))).resolves.toMatchObject([{ duplicate: false }])
  })
})

describe('a push on PostgreSQL', () => {
  it('sees a key that was stored while it waited for the recipient', async () => {
    const { open, connect } = await createWorld()
    const store = await open()
    await addAgents(store, 'ada')
    const holder = await connect()
    await holder.query(`BEGIN; SELECT 1 FROM agents WHERE id = 'ada' FOR UPDATE`)
    const both = [itemFor(['ada'], { dedupKey: 'k' }), itemFor(['ada'], { dedupKey: 'k' })].map((item) =>
      push(store, item),
    )
    await waitForLocks(await connect(), 2)
    await holder.query('COMMIT')
    const results = (await Promise.all(both)).flat()
    expect(new Set(results.map(({ id }) => id)).size).toBe(1)
    expect(results.filter(({ duplicate }) => duplicate)).toHaveLength(1)
  })

  it('counts what came while it waited against the limit', async () => {
    const { open, connect } = await createWorld()
    const store = await open()
    await addAgents(store, 'ada')
    // Three came and went, so that only a count, not a number, can tell how many wait.
    await push(store, itemFor(['ada']), itemFor(['ada']), itemFor(['ada']))
    const holder = await connect()
    await holder.query(`UPDATE deliveries SET state = 'acted'; BEGIN; SELECT 1 FROM agents WHERE id = 'ada' FOR UPDATE`)
    const pushes = Array.from({ length: 4 }, () =>
      store.single((tx) => tx.messages.push({ items: [itemFor(['ada'])], pendingLimit: 2 })),
    )
    await waitForLocks(await connect(), 4)
    await holder.query('COMMIT')
    const settled = await Promise.allSettled(pushes)
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    expect(settled.filter((each) => each.status === 'rejected' && each.reason.code === 'INBOX_FULL')).toHaveLength(2)
  })

  it('rings with its commit, whom it concerns and nobody else', async () => {
    const { open, connect } = await createWorld()
    const store = await open()
    await addAgents(store, 'ada', 'bob', 'sam')
    const listener = await connect()
    const rung: string[] = []
    listener.on('notification', ({ payload }) => rung.push(payload ?? ''))
    await listener.query('LISTEN postern_ring')
    await push(store, itemFor(['ada']))
    await push(store, itemFor(['bob', 'sam']), { ...itemFor(['ada']), held: ['ada'] })
    await store.transact((tx) => tx.messages.broadcast({ message: itemFor(['all']).message }))
    await expect(
      store.transact(async (tx) => {
        await tx.messages.push({ items: [itemFor(['ada'])], pendingLimit: 10 })
        throw new Error('changed my mind')
      }),
    ).rejects.toThrow('changed my mind')
    await listener.query('')
    expect(rung).toEqual(['ada', 'bob', '@all'])
  })

  it('keeps in a batch what all have alike, and what only some have', async () => {
    const store = await (await createWorld()).open()
    await addAgents(store, 'ada', 'bob')
    const items = [
      itemFor(['ada'], { ref: 'a', expiresAt: 9, dedupKey: 'k' }),
      itemFor(['ada'], { subject: 'b', priority: 0 }),
      itemFor(['ada', 'bob'], { ref: 'a', expiresAt: 9, type: 'note' }),
    ]
    await push(store, ...items)
    await push(store, ...items.map(({ message }) => itemFor(['bob'], { ref: message.ref, expiresAt: 9 })))
    for (const { message } of items) expect(await store.read.messages.get(message.id)).toEqual(message)
    const params = { now: 1, states: ['pending'], limit: 9 } as const
    const ofAda = await store.read.deliveries.list({ ...params, agent: 'ada' })
    expect(ofAda.map(({ id, inboxSeq }) => [id, inboxSeq])).toEqual(
      items.map(({ message }, at) => [message.id, at + 1]),
    )
    const ofBob = await store.read.deliveries.list({ ...params, agent: 'bob' })
    expect(ofBob.map(({ ref, expiresAt }) => [ref, expiresAt])).toEqual([
      ['a', 9],
      ['a', 9],
      [null, 9],
      ['a', 9],
    ])
    await expect(push(store, itemFor(['bob']), itemFor(['ada'], { dedupKey: 'k' }))).rejects.toMatchObject({
      code: 'DEDUP_CONFLICT',
    })
  })

  it('is searched for even if it commits after later ones were indexed', async () => {
    const { open, connect } = await createWorld()
    const store = await open()
    await addAgents(store, 'ada')
    const found = async () => {
      while (await store.transact((tx) => tx.messages.indexForSearch({ limit: 2 })));
      return (await store.read.messages.search({ parts: [{ words: ['zebra'], prefix: false }], limit: 99 })).length
    }
    const late = await connect()
    await late.query(`BEGIN; UPDATE agents SET inbox_seq = inbox_seq WHERE id = 'none'; INSERT INTO messages (id, type, from_id, from_as,
      addressed, content, priority, hops, created_at) VALUES ('late', 'agent', 'x', 'a/b/c', 'all', 'zebra', 2, 0, 1)`)
    for (let expected = 1; expected <= 4; expected++) {
      await push(store, itemFor(['ada'], { content: 'a zebra' }))
      expect(await found()).toBe(expected)
    }
    await late.query('COMMIT')
    expect(await found()).toBe(5)
    await push(store, itemFor(['ada']))
    await found()
    await push(store, itemFor(['ada']))
    await found()
    const { rows } = await late.query(`SELECT value FROM counters WHERE name = 'search'`)
    expect(Number(rows[0].value)).toBeGreaterThanOrEqual(5)
  })

  it('finds a phrase beyond the positions that PostgreSQL remembers', async () => {
    const store = await (await createWorld()).open()
    await addAgents(store, 'ada')
    const content = `${Array.from({ length: 8_000 }, (_, n) => `the w${n}`).join(' ')} the end ${'x'.repeat(3_000)}`
    await push(store, itemFor(['ada'], { content }))
    await store.transact((tx) => tx.messages.indexForSearch({ limit: 10 }))
    const find = async (words: string[], prefix = false) =>
      (await store.read.messages.search({ parts: [{ words, prefix }], limit: 9 })).length
    expect(await find(['the', 'end'])).toBe(1)
    expect(await find(['end', 'the'])).toBe(0)
    expect(await find(['x'.repeat(900)])).toBe(0)
    expect(await find(['x'.repeat(900)], true)).toBe(1)
  })
})

describe('a full check of a PostgreSQL store', () => {
  it('names every message and post that was changed, and remembers the result', async () => {
    const { open, connect } = await createWorld()
    const store = await open()
    await addAgents(store, 'ada')
    for (let at = 0; at < 3; at++) await push(store, itemFor(['ada']))
    const post = {
      from: { id: 'ada', kind: 'ai', verified: true, via: 'test' },
      senderName: 'ada',
      priority: 2,
    } as const
    const space = {
      id: 'board',
      name: 'Board',
      joining: 'open',
      history: 'all',
      createdBy: 'ada',
      createdAt: 1,
    } as const
    await store.transact(async (tx) => {
      await tx.spaces.insert({ ...space, closedAt: null })
      const said = { content: 'x', replyTo: null, dedupKey: null, createdAt: 1, messageId: 'msg_p' }
      await tx.spaces.post({ id: 'board', ...post, ...said })
    })
    expect(await store.verify()).toEqual({ messages: 3, faults: [] })
    const client = await connect()
    const { rows } = await client.query(`UPDATE messages SET content = 'y' WHERE seq = 2 RETURNING id`)
    await client.query(`UPDATE space_posts SET content = 'y'`)
    const faults = [`message ${rows[0].id} does not match its checksum`, 'post 1 in space board is damaged']
    expect(await store.verify()).toEqual({ messages: 3, faults })
    expect(await store.read.upkeep.lastVerified()).toMatchObject({ messages: 3, faults: 2 })
  })
})

describe('a backup of a PostgreSQL store', () => {
  it('restores elsewhere, and replaces no file', async () => {
    const { url, open } = await createWorld()
    const store = await open()
    await addAgents(store, 'ada')
    await push(store, itemFor(['ada']))
    const path = join(temporaryFolder(), 'postern.dump')
    await store.backup(path)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await expect(store.backup(path)).rejects.toMatchObject({ code: 'BACKUP_EXISTS' })

    const copy = await createWorld()
    execFileSync('pg_restore', ['--dbname', copy.url, path])
    expect(copy.url).not.toBe(url)
    const restored = await copy.open()
    expect(await restored.read.deliveries.countPending({ agent: 'ada', now: 0 })).toBe(1)
    await expect(push(restored, itemFor(['ada']))).resolves.toMatchObject([{ duplicate: false }])
    await (await copy.connect()).query(
      `INSERT INTO inbox (to_agent, from_agent, message_type, subject) VALUES ('ada', 'system', 'fyi', 'hello')`,
    )
    expect(await restored.read.deliveries.countPending({ agent: 'ada', now: 0 })).toBe(3)
  })

  it('says what to run where it cannot be made, without the password', async () => {
    const { url, open } = await createWorld()
    const secret = new URL(url)
    secret.password = 'secret'
    const store = await open({ url: secret.href })
    const failure = store.backup(join(temporaryFolder(), 'absent', 'x.dump'))
    await expect(failure).rejects.toMatchObject({
      code: 'BACKUP_FAILED',
      next: expect.stringContaining('pg_dump --format=custom'),
    })
    await expect(failure).rejects.toMatchObject({ next: expect.not.stringContaining('secret') })
  })
})
