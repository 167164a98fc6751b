import { join } from 'node:path'
import { inject, onTestFinished } from 'vitest'
import { readConfig } from '../../../../src/host/config/config.ts'
import type { OpenOptions } from '../../../../src/host/open/context.ts'
import { open } from '../../../../src/host/open/open.ts'
import { openServed } from '../../../../src/host/serving/serve.ts'
import type { HealthReport, Postern } from '../../../../src/model/postern.ts'
import { createServer } from '../../../../src/server/server.ts'
import { type Answer, type Asked, ask } from '../../../helpers/http-server.ts'
import { needsPostgres } from '../../../helpers/needs.ts'
import { createDatabase, type TestDatabase } from '../../../helpers/postgres.ts'
import '../../../helpers/global-postgres.ts'
import { temporaryFolder } from '../../../helpers/temp.ts'

/** For tests on the PostgreSQL of the whole run. */
export const NEEDS_POSTGRES = needsPostgres(inject('postgresUrl'))

/** A new database that goes with the test. */
export async function newDatabase(
  create: () => Promise<TestDatabase> = () => createDatabase(inject('postgresUrl')),
): Promise<string> {
  const database = await create()
  onTestFinished(() => database.drop())
  return database.url
}

function configFor(store: string) {
  const home = temporaryFolder()
  return readConfig({ flags: { home, store }, env: {}, cwd: home })
}

/** The heart in this process, on a store that others have open too. */
export async function openOn(store: string, options: OpenOptions = {}): Promise<Postern> {
  const config = configFor(store)
  const postern = await open(config, { upkeep: false, bus: { root: join(config.home, 'buses') }, ...options })
  onTestFinished(() => postern.close())
  return postern
}

export interface ServerOn {
  readonly url: string
  readonly token: string
  ask(route: string, asked?: Asked): Promise<Answer>
}

/** A server in this process, on such a store. */
export async function serveOn(store: string, options: OpenOptions = {}): Promise<ServerOn> {
  const config = configFor(store)
  const served = await openServed(config, { upkeep: false, bus: { root: join(config.home, 'buses') }, ...options })
  const server = createServer(served)
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    await server.close()
    await served.close()
  })
  const { token } = await served.postern.tokens.create({ scope: 'admin' })
  return { url, token, ask: (route, asked = {}) => ask(url, route, { token, ...asked }) }
}

/** What is wrong with a store's contents; null where conservation holds. */
export async function conservationFault(postern: Postern): Promise<string | null> {
  const report: HealthReport = await postern.upkeep.check()
  const verdict = report.checks.find(({ name }) => name === 'store.conservation')
  if (!verdict) return 'nobody looked at conservation'
  return verdict.ok ? null : verdict.detail
}
