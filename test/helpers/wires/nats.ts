import { join } from 'node:path'
import { findProgram } from '../binaries.ts'
import { type RunningServer, startOnFreePort, startServer } from '../servers.ts'
import { makeTemporaryFolder, removeFolder } from '../temp.ts'

/** A private NATS server with JetStream, at the same address however often it is started again. */
export interface NatsServer {
  readonly url: string
  readonly port: number
  /** Ends it, in order or by surprise. Safe to call twice. */
  halt(signal?: NodeJS.Signals): Promise<void>
  /** Starts it again, as it was or without JetStream. */
  start(options?: NatsOptions): Promise<void>
  /** Removes all that it has kept. Only while it is halted. */
  wipe(): void
  /** Ends it and removes its data. Safe to call twice. */
  stop(): Promise<void>
}

export interface NatsOptions {
  readonly jetStream?: boolean
}

/** Starts a private NATS server. Undefined where there is none and it cannot be installed. */
export async function startNats(): Promise<NatsServer | undefined> {
  const command = findProgram('nats-server')
  if (command === undefined) return undefined
  const folder = makeTemporaryFolder()
  const store = join(folder, 'store')
  const run = (port: number, { jetStream = true }: NatsOptions = {}) =>
    startServer({
      command,
      args: ['-a', '127.0.0.1', '-p', String(port), ...(jetStream ? ['-js', '-sd', store] : [])],
      ready: /Server is ready/,
    })
  try {
    return await startOnFreePort(async (port) => natsServer({ port, folder, store, run, first: await run(port) }))
  } catch (error) {
    removeFolder(folder)
    throw error
  }
}

interface Given {
  readonly port: number
  readonly folder: string
  readonly store: string
  readonly run: (port: number, options?: NatsOptions) => Promise<RunningServer>
  readonly first: RunningServer
}

function natsServer({ port, folder, store, run, first }: Given): NatsServer {
  let running = first
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    halt: (signal = 'SIGTERM') => running.stop(signal),
    async start(options) {
      running = await run(port, options)
    },
    wipe: () => removeFolder(store),
    async stop() {
      await running.stop('SIGTERM')
      removeFolder(folder)
    },
  }
}
