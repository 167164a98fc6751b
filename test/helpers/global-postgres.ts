import type { TestProject } from 'vitest/node'
import { type PostgresServer, startPostgres } from './postgres.ts'

/**
 * A `globalSetup` of vitest: one PostgreSQL for the whole run, whichever projects it has. Suites get at it with
 *
 *   const adminUrl = inject('postgresUrl')
 *   describe('…', needsPostgres(adminUrl), () => { const database = await createDatabase(adminUrl) … })
 *
 * The address is empty where there is no PostgreSQL; `findBinary` has said so, and in CI it has thrown.
 */
declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
  }
}

interface Shared {
  server: Promise<PostgresServer | undefined>
  users: number
}

// Every project loads this module for itself, so what they share is kept where all of them find it.
const KEY = Symbol.for('postern.test.postgres')
const shelf = globalThis as typeof globalThis & { [KEY]?: Shared }

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  shelf[KEY] ??= { server: startPostgres(), users: 0 }
  const shared = shelf[KEY]
  shared.users++
  project.provide('postgresUrl', (await shared.server)?.adminUrl ?? '')
  return async () => {
    shared.users--
    if (shared.users > 0) return
    delete shelf[KEY]
    await (await shared.server)?.stop()
  }
}
