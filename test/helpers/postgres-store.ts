import { Client } from 'pg'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { Message } from '../../src/model/message.ts'
import { openPostgresStore } from '../../src/store/postgres/store.ts'
import type { PushItem, Store } from '../../src/store/store.ts'
import { createDatabase, type PostgresServer, runStatement, startPostgres } from './postgres.ts'

export interface World {
  readonly url: string
  open(options?: { url?: string; busyMs?: number; isShared?: boolean }): Promise<Store>
  connect(): Promise<Client>
}

/** A server for the tests of one file; each test makes a database of its own on it, with what it likes to open. */
export function usePostgres(): () => Promise<World> {
  let server: PostgresServer | undefined
  beforeAll(async () => {
    server = await startPostgres({ settings: { synchronous_commit: 'off' } })
  })
  afterAll(() => server?.stop())
  return async () => {
    const database = await (server as PostgresServer).createDatabase()
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
  store.once((tx) => tx.messages.push({ items, pendingLimit: 1_000 }))

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
  run(statement: string): Promise<void>
  drop(): Promise<void>
}

let shared: ReturnType<typeof createDatabase> | undefined
let schemas = 0

/** An empty schema in a database that all tests of one worker share: it is made much faster than a database. */
export async function createSchema(adminUrl: string): Promise<Schema> {
  shared ??= createDatabase(adminUrl)
  const database = await shared
  const schema = `world_${++schemas}`
  const url = `${database.url}?options=-csearch_path%3D${schema}`
  await runStatement(database.url, `CREATE SCHEMA ${schema}`)
  return {
    url,
    run: (statement) => runStatement(url, statement),
    drop: () => runStatement(database.url, `DROP SCHEMA ${schema} CASCADE`),
  }
}
