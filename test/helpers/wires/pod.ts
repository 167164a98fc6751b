import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { connectPostern } from '../../../src/client/connect.ts'
import type { DeliveryState } from '../../../src/model/delivery.ts'
import type { InboxPage, Postern, PushResult } from '../../../src/model/postern.ts'
import type { Place } from '../../faults/harness/hook.ts'
import { shareCompiledCode } from '../compiled-code.ts'
import { type ServeProcess, startServe } from '../http-server.ts'
import { createSchema } from '../postgres-store.ts'
import { fastFolder } from '../temp.ts'
import { warmPosternJson } from '../warm-command.ts'
import { type CourierProcess, startCourier } from './courier.ts'

/** A server on PostgreSQL, and a pod elsewhere with the agent quinn, whose hooks use the same database. */
export interface Cluster {
  readonly server: ServeProcess
  readonly pod: Place
  readonly admin: Postern
  push(...words: string[]): Promise<string>
  /** What the spool of the session ses-1 holds, line by line. */
  spooled(): string[]
  stateOf(id: string): Promise<DeliveryState | undefined>
  /** The courier of quinn, who knows the server by its address and has a token of its own. */
  startCourier(...args: string[]): Promise<CourierProcess>
}

export async function makeCluster(adminUrl: string, ...serveArgs: string[]): Promise<Cluster> {
  const database = await createSchema(adminUrl)
  onTestFinished(() => database.drop())
  const server = await startServe({ home: fastFolder(), args: ['--store', database.url, ...serveArgs] })
  const pod = makePod(database.url)
  const admin = await connectPostern({ url: server.url, token: server.token })
  onTestFinished(() => admin.close())
  await admin.agents.add({ id: 'quinn' })
  await admin.agents.add({ id: 'robin' })
  const { token } = await admin.tokens.create({ scope: 'agent:quinn' })
  const elsewhere = { home: fastFolder(), env: { POSTERN_URL: server.url, POSTERN_TOKEN: server.token } }
  return {
    server,
    pod,
    admin,
    push: async (...words) => (await warmPosternJson<PushResult>(elsewhere, 'inbox', 'push', ...words)).id,
    spooled() {
      const path = join(pod.project, '.runtime', 'inject-queue', 'ses-1.jsonl')
      return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []
    },
    async stateOf(id) {
      const { items }: InboxPage = await admin.inbox.list({ agent: 'quinn', which: 'all', limit: 1_000 })
      return items.find((item) => item.id === id)?.state
    },
    startCourier: (...args) =>
      startCourier({
        home: pod.home,
        cwd: pod.project,
        args: ['--agent', 'quinn', ...args],
        env: { POSTERN_URL: server.url, POSTERN_TOKEN: token },
      }),
  }
}

function makePod(store: string): Place {
  const folder = fastFolder()
  const [home, project] = [join(folder, 'home'), join(folder, 'project')]
  mkdirSync(home, { mode: 0o700 })
  shareCompiledCode(home)
  mkdirSync(join(project, '.git'), { recursive: true })
  writeFileSync(join(home, 'config.json'), JSON.stringify({ store }))
  return { home, project }
}
