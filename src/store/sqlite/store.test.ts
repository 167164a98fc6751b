import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { itemFor } from '../../../test/helpers/postgres-store.ts'
import { plantQuiet, quietIn } from '../../../test/helpers/quiet.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import type { NewAgent, Store } from '../store.ts'
import { Connection } from './connection.ts'
import { MIGRATIONS } from './migrate.ts'
import { APPLICATION_ID, type OpenedStore, openIfOurs, SCHEMA_VERSION } from './schema.ts'
import { openSqliteStore } from './store.ts'

async function open(path: string, opened?: OpenedStore): Promise<Store> {
  const store = await openSqliteStore({ path, now: Date.now, random: Math.random, opened })
  onTestFinished(() => store.close())
  return store
}

function newAgent(id: string): NewAgent {
  const agent = { id, kind: 'ai', displayName: id, isOwner: false, createdAt: 1, removedAt: null } as const
  return { agent, idSkeleton: id, nameSkeleton: id, withBroadcasts: false }
}

const PAGE = 4_096

async function namesOf(store: Store): Promise<string[]> {
  return (await store.read.agents.list({ removed: false })).map(({ id }) => id)
}

describe('the schema', () => {
  it('has the number of its last migration', () => {
    expect(SCHEMA_VERSION).toBe(MIGRATIONS.length)
  })
})

describe('a store that is being closed', () => {
  it('takes nothing more while it waits for whoever keeps its log', async () => {
    const ended = Promise.withResolvers<void>()
    const sharing = { gather: async () => {}, log: { tend: () => {}, close: () => ended.promise } }
    const path = join(temporaryFolder(), 'postern.db')
    const store = await openSqliteStore({ path, now: Date.now, random: Math.random, sharing })
    const closing = store.close()
    await new Promise(setImmediate)
    const late = store.transact((tx) => tx.agents.insert(newAgent('ann')))
    await expect(late).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    ended.resolve()
    await closing
  })
})

describe('a store in which a page was found corrupt', () => {
  async function openSuspect() {
    const path = join(temporaryFolder(), 'postern.db')
    const store = await open(path)
    await store.transact((tx) => tx.agents.insert(newAgent('ada')))
    writeFileSync(`${path}-suspect`, '')
    const push = (content: string) => {
      const item = itemFor(['ada'])
      return store.push({ items: [{ ...item, message: { ...item.message, content } }], pendingLimit: 9 })
    }
    const pending = async () => {
      const params = { agent: 'ada', states: ['pending'], limit: 9, now: 0 } as const
      return (await store.read.deliveries.list(params)).map(({ content }) => content)
    }
    return { path, store, push, pending }
  }

  it('refuses a broadcast, also in a process that learns of the page from another, until the mark is removed', async () => {
    const { path, store } = await openSuspect()
    const { message } = itemFor(['all'])
    const broadcast = () => store.transact((tx) => tx.messages.broadcast({ message }))
    await expect(broadcast()).rejects.toMatchObject({ code: 'STORE_CORRUPT' })
    rmSync(`${path}-suspect`)
    expect(await broadcast()).toMatchObject({ duplicate: false })
  })

  it('keeps nothing of a push that cannot be read back, and all of the others of its group', async () => {
    const { path, push, pending } = await openSuspect()
    const other = new Connection(path, { busyMs: 1_000 })
    onTestFinished(() => other.close())
    other.exec(`CREATE TRIGGER bad AFTER INSERT ON messages WHEN NEW.content = 'bad'
      BEGIN UPDATE messages SET content = 'worse' WHERE seq = NEW.seq; END`)
    const settled = await Promise.allSettled([push('good'), push('bad'), push('better')])
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await pending()).toEqual(['good', 'better'])
  })

  it('reads an inbox from the table of deliveries if an index has a corrupt page', async () => {
    const { path, store, push } = await openSuspect()
    for (const content of ['one', 'two']) await push(content)
    const look = new Connection(path, { busyMs: 1_000 })
    look.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const [root] = look.get(`SELECT rootpage FROM sqlite_schema WHERE name = 'deliveries_pending'`) ?? []
    look.close()
    await store.close()
    const bytes = readFileSync(path)
    writeFileSync(path, bytes.fill(0, (root - 1) * PAGE, root * PAGE))
    const { deliveries } = (await open(path)).read
    const found = await deliveries.candidates({ agent: 'ada', now: 0, limit: 9, criticalLimit: 9 })
    expect(found.map(({ content }) => content)).toEqual(['one', 'two'])
  })
})

describe('messages that are pushed at once', () => {
  it('leave nothing of one that fails half-way, and lose none of the others', async () => {
    const path = join(temporaryFolder(), 'postern.db')
    const store = await open(path)
    for (const id of ['ada', 'bob']) await store.transact((tx) => tx.agents.insert(newAgent(id)))
    const other = new Connection(path, { busyMs: 1_000 })
    onTestFinished(() => other.close())
    other.exec(`CREATE TRIGGER half BEFORE INSERT ON deliveries WHEN NEW.agent_id = 'bob'
      BEGIN SELECT RAISE(FAIL, 'half-way'); END`)
    const pushes = ['ada', 'bob', 'ada'].map((agent) => store.push({ items: [itemFor([agent])], pendingLimit: 9 }))
    const settled = await Promise.allSettled(pushes)
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(other.all('SELECT addressed FROM messages')).toEqual([['ada'], ['ada']])
    expect(await store.audit({ limit: 9 })).toEqual([])
  })
})

describe('a store whose file is replaced under it', () => {
  it('says so once, then reads what is there now', async () => {
    const folder = temporaryFolder()
    const [path, other] = [join(folder, 'a.db'), join(folder, 'b.db')]
    const store = await open(path)
    await store.transact((tx) => tx.agents.insert(newAgent('ann')))
    const replacement = await open(other)
    await replacement.transact((tx) => tx.agents.insert(newAgent('bob')))
    await replacement.close()

    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
    renameSync(other, path)
    await expect(namesOf(store)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(await namesOf(store)).toEqual(['bob'])
    expect(await Promise.all([namesOf(store), namesOf(store)])).toEqual([['bob'], ['bob']])
  })

  it('leaves no quiet file that speaks of the one before', async () => {
    const home = temporaryFolder()
    const path = join(home, 'postern.db')
    const remove = () => ['', '-wal', '-shm'].map((suffix) => rmSync(path + suffix, { force: true }))
    const store = await open(path)
    plantQuiet(home, ['quinn'])
    remove()
    writeFileSync(path, '')
    await expect(namesOf(store)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(quietIn(home)).toEqual([])
    await store.close()

    plantQuiet(home, ['quinn'])
    remove()
    await open(path)
    expect(quietIn(home)).toEqual([])
  })

  it('reads beside a transaction without seeing it', async () => {
    const store = await open(join(temporaryFolder(), 'a.db'))
    const seen = await store.transact(async (tx) => {
      await tx.agents.insert(newAgent('ann'))
      return { inside: await tx.agents.get('ann'), beside: await store.read.agents.get('ann') }
    })
    expect(seen.inside?.id).toBe('ann')
    expect(seen.beside).toBeUndefined()
  })
})

describe('a store that somebody has opened already', () => {
  async function lend() {
    const path = join(temporaryFolder(), 'a.db')
    await (await open(path)).close()
    const opened = openIfOurs(path)!
    onTestFinished(() => opened.connection.close())
    return { path, opened }
  }

  it('is gone on with, waits for the disk, and stays open when it is closed', async () => {
    const { path, opened } = await lend()
    const store = await open(path, opened)
    await store.transact((tx) => tx.agents.insert(newAgent('ann')))
    expect(opened.connection.pragma('synchronous')).toBe(2)
    expect(opened.connection.pragma('wal_autocheckpoint')).toBe(0)
    expect(await namesOf(store)).toEqual(['ann'])
    await store.close()
    expect(opened.connection.get('SELECT count(*) FROM agents')).toEqual([1])
  })

  it('is written through to the disk by whoever only looks, who may be the one to move its log', async () => {
    const { connection } = (await lend()).opened
    expect(['synchronous', 'fullfsync'].map((name) => connection.pragma(name))).toEqual([2, 1])
  })

  it('is not taken for the one that was put in its place meanwhile', async () => {
    const { path, opened } = await lend()
    copyFileSync(path, `${path}.copy`)
    renameSync(`${path}.copy`, path)
    const store = await open(path, opened)
    await expect(store.transact((tx) => tx.agents.insert(newAgent('ann')))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    })
    expect(opened.connection.get('SELECT count(*) FROM agents')).toEqual([0])
  })
})

describe('a log that nobody has tended', () => {
  const framesOf = (connection: Connection) => connection.get('PRAGMA wal_checkpoint(NOOP)')?.[1]

  it('begins anew after the first commit of a process, when it takes a while to be read', async () => {
    const path = join(temporaryFolder(), 'a.db')
    await (await open(path)).close()
    const other = new Connection(path, { busyMs: 0 })
    onTestFinished(() => other.close())
    other.exec('PRAGMA wal_autocheckpoint = 0')
    other.exec('CREATE TABLE filling (content BLOB); INSERT INTO filling VALUES (zeroblob(2000000))')
    expect(framesOf(other)).toBeGreaterThan(400)
    const store = await open(path)
    await store.transact((tx) => tx.agents.insert(newAgent('ann')))
    await store.transact((tx) => tx.agents.insert(newAgent('bob')))
    expect(framesOf(other)).toBeLessThan(50)
  })
})

/** The last schema in which parcels had no number and every space could be joined. */
const BEFORE = 12

const parcel = (id: string) => `('${id}', 'testnet', 'note', 'lane', 'payer', '[]', 0, 0, '{}', 0, 1, 'waiting', 1)`

describe('an upgrade', () => {
  it('makes spaces invite-only, keeps what their members could read, and keeps the order of parcels', async () => {
    const path = join(temporaryFolder(), 'postern.db')
    const old = new DatabaseSync(path)
    for (const migration of MIGRATIONS.slice(0, BEFORE)) old.exec(migration)
    old.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${BEFORE};
      INSERT INTO spaces (id, name, created_by, created_at, post_seq) VALUES ('alpha', 'Alpha', 'local', 1, 7);
      INSERT INTO space_members (space_id, agent_id, joined_at) VALUES ('alpha', 'ann', 1);
      INSERT INTO ledger_parcels (id, network, purpose, lane, payer, steps, price, done, made, attempts, next_at, state, created_at)
        VALUES ${parcel('par_b')}, ${parcel('par_a')}`)
    old.close()
    const store = await open(path)
    expect(await store.read.spaces.get('alpha')).toMatchObject({ joining: 'invited', history: 'joined' })
    expect(await store.read.spaces.joinedAfter({ id: 'alpha', agent: 'ann' })).toBe(0)
    const due = await store.read.ledger.dueParcels({ network: 'testnet', now: 1, limit: 9 })
    expect(due.map(({ id }) => id)).toEqual(['par_a'])
    const parcels = await store.read.ledger.openParcels({ lane: 'lane' })
    expect(parcels.map(({ id }) => id)).toEqual(['par_a', 'par_b'])
  })
})
