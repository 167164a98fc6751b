import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import type { Contest, Contestant, Entrant } from './harness.ts'
import { importPeer, installPeers } from './peers.ts'
import { type Served, type Server, startNats, startPostern, startPostgres, startRedis } from './servers.ts'
import { openSystem, PLACES, type SystemName } from './systems/all.ts'
import type { System, SystemOptions } from './systems/system.ts'

/** A subject makes its contests in the lab's terms. */
export type Subject = (lab: Lab) => readonly Contest[] | Promise<readonly Contest[]>

export interface LabOptions {
  readonly quick: boolean
  readonly full: boolean
}

/** Folders and servers for one run. Everything is started when first asked for, and is gone after `close`. */
export class Lab {
  readonly quick: boolean
  readonly full: boolean
  readonly #root = mkdtempSync(join(realpathSync(tmpdir()), 'postern-bench-'))
  readonly #servers = new Map<string, Promise<Server>>()
  #count = 0
  #arePeersInstalled = false

  constructor({ quick, full }: LabOptions) {
    this.quick = quick
    this.full = full
    // The server of PostgreSQL runs as another user.
    chmodSync(this.#root, 0o755)
  }

  newFolder(): string {
    const folder = join(this.#root, String(++this.#count))
    mkdirSync(folder, { mode: 0o700 })
    return folder
  }

  /** Where a new instance of a system can live: a folder, or a URL. */
  async placeFor(name: SystemName): Promise<string> {
    const kind = PLACES[name]
    if (kind === 'folder') return this.newFolder()
    if (kind === 'server') return (await this.serve(this.newFolder())).place
    if (kind === 'wired to NATS') return `${this.newFolder()}#${(await this.#server('nats')).url}`
    if (kind === 'wired to Redis') return `${this.newFolder()}#${(await this.#server('everysec')).url}`
    this.#installPeers()
    const { url } = await this.#server(kind)
    const count = ++this.#count
    return kind === 'postgres' ? newDatabase(url, `bench_${count}`) : `${url}/${count}`
  }

  /** A server of ours on a home of its own. */
  async serve(home: string, env: NodeJS.ProcessEnv = {}): Promise<Served> {
    const served = await startPostern(home, env)
    this.#servers.set(home, Promise.resolve(served))
    return served
  }

  /** An empty database of a durable PostgreSQL. */
  async database(): Promise<string> {
    return newDatabase((await this.#server('postgres')).url, `bench_${++this.#count}`)
  }

  /** The address of a NATS with JetStream. */
  async nats(): Promise<string> {
    return (await this.#server('nats')).url
  }

  async open(name: SystemName, options: SystemOptions = {}): Promise<System> {
    return openSystem(name, await this.placeFor(name), options)
  }

  /** A library that ours is compared with. */
  peer<T>(name: string): Promise<T> {
    this.#installPeers()
    return importPeer<T>(name)
  }

  /** A contestant that needs a new instance of a system and leaves by closing it. */
  contestant(
    name: SystemName,
    block: (system: System) => Entrant['block'] | Promise<Entrant['block']>,
    options: SystemOptions = {},
  ): Contestant {
    return {
      name,
      enter: async () => {
        const system = await this.open(name, options)
        return {
          block: await block(system),
          leave: async () => {
            await system.close()
          },
        }
      },
    }
  }

  async close(): Promise<void> {
    for (const starting of this.#servers.values()) {
      const server = await starting.catch(() => undefined)
      await server?.stop()
    }
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }

  #server(kind: keyof typeof STARTERS): Promise<Server> {
    const known = this.#servers.get(kind)
    if (known) return known
    const folder = join(this.#root, kind)
    const starting = (async () => STARTERS[kind](folder))()
    starting.catch((error: Error) => console.error(`\n*** ${kind}: ${error.message}. Its rows are skipped. ***\n`))
    this.#servers.set(kind, starting)
    return starting
  }

  #installPeers(): void {
    if (this.#arePeersInstalled) return
    this.#arePeersInstalled = true
    try {
      installPeers()
    } catch (error) {
      console.error(
        `\n*** the peers could not be installed: ${(error as Error).message}. Their rows are skipped. ***\n`,
      )
    }
  }
}

const STARTERS = {
  always: (folder: string) => startRedis(folder, 'always'),
  everysec: (folder: string) => startRedis(folder, 'everysec'),
  postgres: startPostgres,
  nats: startNats,
}

async function newDatabase(adminUrl: string, name: string): Promise<string> {
  const client = new Client({ connectionString: adminUrl })
  await client.connect()
  await client.query(`CREATE DATABASE ${name} TEMPLATE template0`)
  await client.end()
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return url.href
}
