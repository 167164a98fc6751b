import pg from 'pg'

/**
 * Connections of a test's stores, which the next test on the same schema uses again. A new connection costs the server a
 * process, and each table and statement some milliseconds when it is first used; that was half the time of the
 * conformance suite on PostgreSQL. Pools are made and ended as ever: only what they would connect and hang up is kept.
 */
const kept = new Map<string, Client[]>()

type Callback = (error?: Error) => void

/** A connection of the driver, with what its types do not name. */
interface Client extends Pick<pg.Client, 'on' | 'removeAllListeners'> {
  readonly _queryable: boolean
  readonly _txStatus: string | null
  readonly _activeQuery: object | null
  ref(): void
  unref(): void
}

const MOST_IDLE = 4

/** Keeps the connections of pools to this address from now on. */
export function keepConnections(url: string): void {
  if (!kept.has(url)) kept.set(url, [])
}

/** Closes what is kept, and keeps nothing more. */
export async function closeKept(url: string): Promise<void> {
  const clients = kept.get(url) ?? []
  kept.delete(url)
  await Promise.all(clients.map(reallyEnd))
}

/** Ends a connection whose own `end` only gives it back. */
const reallyEnd = (client: Client) => (pg.Client.prototype.end as (this: Client) => Promise<void>).call(client)

interface PoolInside {
  readonly options: { readonly connectionString?: string; readonly fallback_application_name?: string }
  Client: unknown
}

const pools = pg.Pool.prototype as unknown as { newClient(this: PoolInside, waiting: unknown): void }
const { newClient } = pools
pools.newClient = function (waiting) {
  const { connectionString: url = '', fallback_application_name: purpose } = this.options
  // The wire's connection for ringing has settings of its own.
  if (kept.has(url) && purpose === 'postern') this.Client = KeptClient
  newClient.call(this, waiting)
}

/** Called with `new` by a pool: a connection that was kept, or a new one that is going to be. */
function KeptClient(options: pg.ClientConfig & { readonly connectionString: string }): Client {
  const idle = kept.get(options.connectionString) ?? []
  for (let client = idle.pop(); client; client = idle.pop()) if (isUsable(client)) return lend(client)
  const client = new pg.Client(options) as unknown as Client
  return Object.assign(client, { end: (done?: Callback) => giveBack(client, options.connectionString, done) })
}

function lend(client: Client): Client {
  client.removeAllListeners('error')
  client.ref()
  const connect = (done: Callback) => queueMicrotask(done)
  return Object.assign(client, { connect })
}

/** Takes the place of `end`: keeps what is between two transactions, and really ends the rest. */
function giveBack(client: Client, url: string, done?: Callback): Promise<void> {
  const idle = kept.get(url)
  if (!idle || idle.length >= MOST_IDLE || !isUsable(client) || idle.includes(client)) {
    const ended = reallyEnd(client)
    if (done) ended.then(() => done(), done)
    return ended
  }
  client.removeAllListeners()
  client.on('error', () => {})
  client.unref()
  idle.push(client)
  if (done) queueMicrotask(done)
  return Promise.resolve()
}

function isUsable(client: Client): boolean {
  return client._queryable && client._txStatus === 'I' && client._activeQuery === null
}
