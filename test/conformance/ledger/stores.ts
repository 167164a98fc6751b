import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, inject, onTestFinished } from 'vitest'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import type { Store } from '../../../src/store/store.ts'
import '../../helpers/global-postgres.ts'
import { needsPostgres } from '../../helpers/needs.ts'
import { createSchema } from '../../helpers/postgres-store.ts'
import { fastFolder } from '../../helpers/temp.ts'

/** One store, as many may have it open, and a way past all of its rules. */
export interface StoreWorld {
  readonly store: Store
  /** Opens the same store once more, as another process does. */
  again(): Promise<Store>
  /** Changes the database behind the store's back. */
  alter(text: string): Promise<void>
}

/** States rules about what is kept in a store, for both engines. */
export function onBothEngines(subject: string, state: (open: () => Promise<StoreWorld>) => void): void {
  const url = inject('postgresUrl')
  describe(`${subject} on SQLite`, () => state(openSqliteWorld))
  describe(`${subject} on PostgreSQL`, needsPostgres(url), () => state(() => openPostgresWorld(url ?? '')))
}

async function openSqliteWorld(): Promise<StoreWorld> {
  const path = join(fastFolder(), 'postern.db')
  const again = () => closing(openSqliteStore({ path, now: Date.now, random: Math.random }))
  return {
    store: await again(),
    again,
    async alter(text) {
      const database = new DatabaseSync(path)
      database.exec(text)
      database.close()
    },
  }
}

async function openPostgresWorld(adminUrl: string): Promise<StoreWorld> {
  const { url, run, drop } = await createSchema(adminUrl)
  onTestFinished(() => drop())
  const again = () => closing(openPostgresStore({ url, random: Math.random }))
  return { store: await again(), again, alter: run }
}

async function closing(opening: Promise<Store>): Promise<Store> {
  const store = await opening
  onTestFinished(() => store.close())
  return store
}
