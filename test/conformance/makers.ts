import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inject } from 'vitest'
import type { FetchRequest } from '../../src/client/transport.ts'
import { createKeyedAnswers } from '../../src/core/keyed-answers.ts'
import { createPostern } from '../../src/core/postern.ts'
import { createCredentials } from '../../src/host/credentials/credentials.ts'
import { type OpenOptions, openContext } from '../../src/host/open/context.ts'
import { assemble } from '../../src/host/open/open.ts'
import { openEmbedded, openPostgres } from '../../src/host/open/store.ts'
import { connectPostern } from '../../src/host/serving/node-client.ts'
import { createHttpFetch } from '../../src/kit/node/http-fetch.ts'
import { LOCAL_CALLER } from '../../src/model/caller.ts'
import type { Identity } from '../../src/model/network/tokens.ts'
import type { HookVerbs, LocalPostern, Postern } from '../../src/model/postern.ts'
import { createServer } from '../../src/server/server.ts'
import { openPostgresStore } from '../../src/store/postgres/store.ts'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import type { Store } from '../../src/store/store.ts'
import type { Wire } from '../../src/wires/wire.ts'
import { describeProgram } from '../helpers/binaries.ts'
import '../helpers/global-postgres.ts'
import { copyMigrated } from '../helpers/migrated-store.ts'
import { createSchema } from '../helpers/postgres-store.ts'
import { storeWith } from '../helpers/store-with.ts'
import { makeFastFolder, removeFolder } from '../helpers/temp.ts'
import { declared } from './declared.ts'

/** One way to get a `Postern`. Every embodiment has a maker, and every maker runs the whole suite. */
export interface Maker {
  readonly name: string
  /** What this machine lacks to run it, in words; undefined where it lacks nothing. */
  readonly missing: string | undefined
  /** Rules that do not hold for this embodiment, each with the reason. They are not stated for it. */
  readonly exceptions: Readonly<Record<string, string>>
  open(options?: MakerOptions): Promise<World>
}

export interface MakerOptions
  extends Pick<
    OpenOptions,
    'limits' | 'caller' | 'note' | 'sessionGates' | 'announce' | 'home' | 'bus' | 'handoff' | 'config' | 'hasUpkeep'
  > {
  /** What stands between the heart and the real store: to look on, or to fail in the middle of something. */
  readonly through?: (store: Store) => Store
  /** True for a Postern whose wire rings but cannot listen. */
  readonly deaf?: boolean
}

/** A store of its own with a Postern on it, and a clock that moves only when the test says so. */
export interface World {
  readonly postern: Postern
  /** The verbs that only hooks call; undefined over HTTP, because hooks open the store themselves. */
  readonly hooks: HookVerbs | undefined
  /** Where its buses lie. */
  readonly busRoot: string
  /** A second Postern on the same store, as another process would open it. */
  again(options?: MakerOptions): Promise<Postern>
  now(): number
  setNow(ms: number): void
  advance(ms: number): void
  /** Runs a statement behind Postern's back, to damage what it must then notice. */
  tamper(statement: string): Promise<void>
  /** What is wrong with the contents of its store, in words. */
  audit(): Promise<readonly string[]>
  /** Where its store is, for a person who looks into it. */
  readonly location: string
  /** Closes it, and removes its store unless that is kept as evidence. */
  destroy(options?: { readonly isKept: boolean }): Promise<void>
}

const BEGINNING = Date.UTC(2026, 0, 15, 9)

export const sqlite: Maker = {
  name: 'SQLite',
  missing: undefined,
  exceptions: {},
  async open(options = {}) {
    const folder = makeFastFolder()
    const path = join(folder, 'postern.db')
    return createWorld(options, {
      busRoot: join(folder, 'buses'),
      async open(clock, given) {
        await copyMigrated(path)
        const { store, wire } = await openEmbedded(path, { now: clock, ...homeOf(given) })
        return assemble(storeFor(store, given), wireFor(wire, given), { upkeep: false, ...given })
      },
      tamper: async (statement) => runOnFile(path, statement),
      audit: () => audit(openSqliteStore({ path, now: Date.now, random: Math.random })),
      location: path,
      remove: async () => removeFolder(folder),
    })
  },
}

/** The store finds its key in the home, as the heart does. */
function homeOf({ home }: MakerOptions): Pick<OpenOptions, 'home'> {
  return home === undefined ? {} : { home }
}

function runOnFile(path: string, statement: string): void {
  const database = new DatabaseSync(path)
  database.exec(statement)
  database.close()
}

async function audit(opening: Promise<Store>): Promise<readonly string[]> {
  const store = await opening
  try {
    return await store.audit({ limit: 9 })
  } finally {
    await store.close()
  }
}

export const postgres: Maker = {
  name: 'PostgreSQL',
  missing: inject('postgresUrl') ? undefined : describeProgram('initdb'),
  exceptions: {
    'says that a healthy store is healthy, and what is worth knowing':
      'the server of the tests runs without fsync, which the check reports, as it should',
  },
  async open(options = {}) {
    const { url, run, drop } = await createSchema(inject('postgresUrl'))
    const home = makeFastFolder()
    return createWorld(options, {
      busRoot: join(home, 'buses'),
      async open(clock, given) {
        const { store, wire } = await openPostgres(url, { home, ...homeOf(given) })
        const timed = storeWith(store, { now: clock })
        return assemble(storeFor(timed, given), wireFor(wire, given), { upkeep: false, home, ...given })
      },
      tamper: run,
      audit: () => audit(openPostgresStore({ url, random: Math.random })),
      location: `${url} (the server ends with the run)`,
      async remove() {
        await drop()
        removeFolder(home)
      },
    })
  },
}

const UNEXPLAINED = "what nobody expects is in the server's log, and only called internal to whoever asks"

/** A server of its own on a store of its own, and a client that may do there what an administrator may. */
export const http: Maker = {
  name: 'HTTP',
  missing: undefined,
  exceptions: {
    'gives no meaning to a sender in the input': 'a field that is not declared is refused there',
    'waits for the disk only where something is confirmed':
      'the keys by which requests are repeated are transactions of their own',
    'does all of it or nothing where the store fails in the middle': UNEXPLAINED,
    'leaves nothing of a post where the store fails in the middle': UNEXPLAINED,
    'fires once an instant though transactions fail, answers are lost, clocks jump and servers go': UNEXPLAINED,
  },
  async open(options = {}) {
    const folder = makeFastFolder()
    const path = join(folder, 'postern.db')
    return createWorld(options, {
      busRoot: join(folder, 'buses'),
      async open(clock, given) {
        await copyMigrated(path)
        const { store, wire } = await openEmbedded(path, { now: clock, ...homeOf(given) })
        return connectTo(storeFor(store, given), wireFor(wire, given), given)
      },
      tamper: async (statement) => runOnFile(path, statement),
      audit: () => audit(openSqliteStore({ path, now: Date.now, random: Math.random })),
      location: path,
      remove: async () => removeFolder(folder),
    })
  },
}

async function connectTo(store: Store, wire: Wire, given: MakerOptions): Promise<Postern> {
  const { caller = LOCAL_CALLER, ...options } = given
  const { ctx, close } = openContext(store, wire, options)
  const credentials = createCredentials(ctx)
  const { known, fetch } = chooseCallers()
  const heart = createPostern(ctx, close)
  const server = createServer({
    postern: heart,
    credentials: { ...credentials, identify: async (token) => known(token) ?? credentials.identify(token) },
    ...createKeyedAnswers(ctx, close),
    now: hurry(),
  })
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  await credentials.adopt(TOKEN, 'of the suite')
  const client = await connectPostern({ url, token: TOKEN, caller, fetch })
  return {
    ...client,
    async close() {
      await client.close()
      await server.close()
      await heart.close()
    },
  }
}

/**
 * The suite chooses its callers, as a program that uses the library does. A server takes no caller's word for that, so
 * each of them shows a token of its own here.
 */
function chooseCallers() {
  const identities = new Map<string, Identity>()
  const fetch = createHttpFetch()
  return {
    known: (token: string) => identities.get(token),
    fetch: Object.assign(ask, { close: () => fetch.close() }),
  }

  function ask(url: string, { headers: { 'Postern-As': as, ...headers }, ...request }: FetchRequest) {
    if (as === undefined) return fetch(url, { headers, ...request })
    const tokenId = createHash('sha256').update(as).digest('hex')
    identities.set(tokenId, { tokenId, scope: { kind: 'admin', id: null }, caller: JSON.parse(as) })
    return fetch(url, { headers: { ...headers, Authorization: `Bearer ${tokenId}` }, ...request })
  }
}

/** Whoever guesses too often within a minute is put off, which is no rule of the heart: here minutes pass quickly. */
function hurry(): () => number {
  let time = Date.now()
  return () => {
    time += 10_000
    return time
  }
}

const TOKEN = `pst_${'c'.repeat(43)}`

/** One database for a test file, which goes with the server; in it a schema for each world, which is quickly made. */
export const MAKERS: readonly Maker[] = [sqlite, postgres, http]

/** Makers whose core runs in this process. */
export const LOCAL_MAKERS: readonly Maker[] = [sqlite, postgres]

function storeFor(store: Store, { through = (store) => store }: MakerOptions): Store {
  return through(store)
}

/** A wire that has run out of file descriptors, or has lost its rights or its connection. */
function wireFor(wire: Wire, { deaf = false }: MakerOptions): Wire {
  if (!deaf) return wire
  return {
    ring: (names) => wire.ring(names),
    listen: () => Promise.reject(new Error('EMFILE: too many open files')),
    lastRungAt: (name) => wire.lastRungAt(name),
    health: () => wire.health(),
    close: () => wire.close(),
  }
}

interface Engine {
  readonly busRoot: string
  open(clock: () => number, options: MakerOptions): Promise<Postern>
  tamper(statement: string): Promise<void>
  audit(): Promise<readonly string[]>
  readonly location: string
  remove(): Promise<void>
}

async function createWorld(options: MakerOptions, engine: Engine): Promise<World> {
  let time = BEGINNING
  const clock = () => time
  const opened: Postern[] = []
  const open = async (given: MakerOptions) => {
    const bus = { root: engine.busRoot }
    const postern = declared(await engine.open(clock, { bus, ...options, ...given }))
    opened.push(postern)
    return postern
  }
  const postern = await open({})
  return {
    postern,
    // The wrapper around the verbs keeps whatever it does not know as it is.
    hooks: (postern as Partial<LocalPostern>).hooks,
    busRoot: engine.busRoot,
    again: (given = {}) => open(given),
    now: clock,
    setNow(ms) {
      time = ms
    },
    advance(ms) {
      time += ms
    },
    tamper: engine.tamper,
    audit: engine.audit,
    location: engine.location,
    async destroy({ isKept } = { isKept: false }) {
      await Promise.all(opened.map((postern) => postern.close()))
      if (!isKept) await engine.remove()
    },
  }
}
