import { Client } from 'pg'
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest'
import type { Message } from '../../src/model/message.ts'
import { openPostgresStore } from '../../src/store/postgres/store.ts'
import type { PushItem, Store } from '../../src/store/store.ts'
import './global-postgres.ts'
import { closeKept, keepConnections } from './postgres/kept-connections.ts'
import { createDatabase, type PostgresServer, runStatement, startPostgres } from './postgres.ts'

export interface World {
  readonly url: string
  open(options?: { url?: string; busyMs?: number; isShared?: boolean }): Promise<Store>
  connect(): Promise<Client>
}

/**
 * Gives each test its own database, and a way to open stores on it. A server that is not shared is for tests that follow the
 * order of commits: a transaction that is open in any database of the server holds that back.
 */
export function usePostgres({ isShared = true } = {}): () => Promise<World> {
  let own: PostgresServer | undefined
  beforeAll(async () => {
    if (!isShared) own = await startPostgres()
  })
  afterAll(() => own?.stop())
  return async () => {
    const database = await createDatabase(own?.adminUrl ?? inject('postgresUrl'))
    onTestFinished(() => database.drop())
    return {
      url: database.url,
      async open(options = {}) {
        const store = await openPostgresStore({ url: database.url, random: Math.random, ...options })
        onTestFinished(() => store.close())
        return store
      },
      async connect() {
        const client = new Client({ connectionString: database.url })
        client.on('error', () => {})
        await client.connect()
        onTestFinished(() => client.end().catch(() => {}))
        return client
      },
    }
  }
}

let count = 0

export function itemFor(to: string[], extra: Partial<Message> = {}): PushItem {
  const id = `msg_${String(++count).padStart(26, '0')}`
  const message: Message = {
    id,
    type: 'agent',
    from: { id: 'sam', kind: 'human', verified: true, via: 'test' },
    to,
    subject: null,
    content: 'hello',
    payload: null,
    context: null,
    priority: 2,
    ref: null,
    replyTo: null,
    threadId: id,
    hops: 0,
    dedupKey: null,
    attachments: [],
    trace: null,
    createdAt: 1,
    expiresAt: null,
    ...extra,
  }
  return { message, held: [] }
}

export const push = (store: Store, ...items: PushItem[]) =>
  store.single((tx) => tx.messages.push({ items, pendingLimit: 1_000 }))

export async function addAgents(store: Store, ...ids: string[]): Promise<void> {
  for (const id of ids) {
    const agent = { id, kind: 'ai', displayName: id, isOwner: false, createdAt: 1, removedAt: null } as const
    await store.transact((tx) => tx.agents.insert({ agent, idSkeleton: id, nameSkeleton: id, withBroadcasts: false }))
  }
}

/** Resolves when so many others wait for locks: a signal, not a nap. */
export async function waitForLocks(client: Client, wanted: number): Promise<void> {
  for (;;) {
    const { rows } = await client.query(`SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'
      AND datname = current_database()`)
    if (Number(rows[0].count) >= wanted) return
  }
}

export interface Schema {
  readonly url: string
  /** Runs a statement behind Postern's back. A schema that was touched like this is never used again. */
  run(statement: string): Promise<void>
  drop(): Promise<void>
}

/** The database of this worker, and a connection to it that stays open. */
interface Shared {
  readonly url: string
  readonly admin: Client
}

let shared: Promise<Shared> | undefined
let schemas = 0
/** Schemas that are as the migrations left them. */
const clean: string[] = []

/**
 * A migrated schema without data, in a database that all tests of one worker share. Migrating takes a hundred times as
 * long as emptying, so a schema is emptied after a test and used again, and so are the connections to it.
 */
export async function createSchema(adminUrl: string): Promise<Schema> {
  shared ??= openShared(adminUrl)
  const database = await shared
  const schema = clean.pop() ?? (await migrateNewSchema(database.url))
  const url = urlOf(database.url, schema)
  keepConnections(url)
  let isTouched = false
  return {
    url,
    run(statement) {
      isTouched = true
      return runStatement(url, statement)
    },
    async drop() {
      if (isTouched) {
        await closeKept(url)
        await database.admin.query(`DROP SCHEMA ${schema}, ${schema}_first CASCADE`)
        return
      }
      await database.admin.query(emptySchemaSql(schema))
      clean.push(schema)
    },
  }
}

async function openShared(adminUrl: string): Promise<Shared> {
  const { url } = await createDatabase(adminUrl)
  const admin = new Client({ connectionString: url }) as Client & { unref(): void }
  // The server ends with the run.
  admin.on('error', () => {})
  await admin.connect()
  admin.unref()
  return { url, admin }
}

const urlOf = (databaseUrl: string, schema: string) => `${databaseUrl}?options=-csearch_path%3D${schema}`

/** Beside the schema there is a second one with the rows that migrations insert. */
async function migrateNewSchema(databaseUrl: string): Promise<string> {
  const schema = `world_${++schemas}`
  await runStatement(databaseUrl, `CREATE SCHEMA ${schema}; CREATE SCHEMA ${schema}_first`)
  const store = await openPostgresStore({ url: urlOf(databaseUrl, schema), random: Math.random })
  await store.close()
  await runStatement(
    databaseUrl,
    `DO $$ DECLARE name text; isFilled boolean; BEGIN
      FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '${schema}' LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM ${schema}.%I)', name) INTO isFilled;
        IF isFilled THEN
          EXECUTE format('CREATE TABLE ${schema}_first.%1$I AS SELECT * FROM ${schema}.%1$I', name);
        END IF;
      END LOOP;
    END $$`,
  )
  return schema
}

/** Puts every table and every sequence of a schema back to what they were after the migrations. No trigger fires. */
function emptySchemaSql(schema: string): string {
  return `DO $$ DECLARE name text; size bigint; BEGIN
    SET LOCAL session_replication_role = replica;
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '${schema}' LOOP
      size := pg_relation_size(format('${schema}.%I', name));
      IF size > 100000 THEN
        EXECUTE format('TRUNCATE ${schema}.%I CASCADE', name);
      ELSIF size > 0 THEN
        EXECUTE format('DELETE FROM ${schema}.%I', name);
      END IF;
    END LOOP;
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '${schema}_first' LOOP
      EXECUTE format('INSERT INTO ${schema}.%1$I OVERRIDING SYSTEM VALUE SELECT * FROM ${schema}_first.%1$I', name);
    END LOOP;
    PERFORM setval(format('${schema}.%I', sequencename), start_value, false)
      FROM pg_sequences WHERE schemaname = '${schema}' AND last_value IS NOT NULL;
  END $$`
}
