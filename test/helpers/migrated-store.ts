import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openEmbedded } from '../../src/host/open/store.ts'
import { lazy } from '../../src/kit/pure/lazy.ts'
import { makeFastFolder, removeFolder } from './temp.ts'

/**
 * Puts an empty store of this version at a path where there is none. A worker migrates once and copies from then on,
 * which takes a tenth of the time. The copy is a store of its own: it has an identity that no other store has.
 */
export async function copyMigrated(path: string): Promise<void> {
  const template = await migratedTemplate()
  if (existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  copyFileSync(template, path)
  const database = new DatabaseSync(path)
  database.exec('PRAGMA synchronous = OFF; UPDATE store_identity SET id = lower(hex(randomblob(16)))')
  database.close()
}

const migratedTemplate = lazy(async () => {
  const folder = makeFastFolder()
  process.once('exit', () => removeFolder(folder))
  const path = join(folder, 'postern.db')
  const { store, wire } = await openEmbedded(path, {})
  await wire.close()
  await store.close()
  return path
})
