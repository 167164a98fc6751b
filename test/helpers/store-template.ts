import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Postern } from '../../src/model/postern.ts'
import { openLocal } from './open-local.ts'
import { makeFastFolder, removeFolder } from './temp.ts'

/** Stores that wait to be copied, by what was done to them. */
const templates = new Map<SetUp, Promise<string>>()

type SetUp = (postern: Postern) => Promise<unknown>

/**
 * Gives a home a store in which something was done already. A worker migrates and fills the store once and copies it
 * from then on, so the same function must be passed each time.
 */
export async function copyStore(home: string, setUp: SetUp): Promise<void> {
  const template = templates.get(setUp) ?? makeTemplate(setUp)
  templates.set(setUp, template)
  mkdirSync(home, { recursive: true, mode: 0o700 })
  copyFileSync(await template, join(home, 'postern.db'))
}

async function makeTemplate(setUp: SetUp): Promise<string> {
  const folder = makeFastFolder()
  process.once('exit', () => removeFolder(folder))
  const path = join(folder, 'postern.db')
  const postern = await openLocal(path, { upkeep: false, bus: { root: join(folder, 'run-agent') } })
  await setUp(postern)
  await postern.close()
  return path
}
