import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { configWith } from '../../../test/helpers/config-with.ts'
import { openLocal } from '../../../test/helpers/open-local.ts'
import { plantQuiet, quietIn } from '../../../test/helpers/quiet.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { readConfig } from '../config/config.ts'
import { open } from './open.ts'

async function makeStore(path: string): Promise<string> {
  mkdirSync(dirname(path), { recursive: true })
  await openLocal(path, { upkeep: false }).then((postern) => postern.close())
  return path
}

/** Opens the store as a hook does, and returns the quiet files that are still in the home. */
async function openAsHook(home: string, env: Record<string, string> = {}): Promise<string[]> {
  const postern = await open(readConfig({ flags: { home }, env, cwd: home }), {
    busyMs: 1_000,
    upkeep: false,
    mustExist: true,
  })
  await postern.close()
  return quietIn(home)
}

it('removes quiet files from a home whose configuration has moved the store elsewhere', async () => {
  const home = temporaryFolder()
  await makeStore(join(home, 'postern.db'))
  const other = await makeStore(join(temporaryFolder(), 'postern.db'))
  plantQuiet(home, ['quinn'])
  expect(await openAsHook(home)).toEqual(['quinn'])
  // The launcher ignores quiet files if the environment names a store, so the files may stay.
  expect(await openAsHook(home, { POSTERN_STORE: other })).toEqual(['quinn'])
  writeFileSync(join(home, 'config.json'), JSON.stringify({ store: other }))
  expect(await openAsHook(home)).toEqual([])
})

it('creates no store for a hook', async () => {
  const home = temporaryFolder()
  await expect(openAsHook(home)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
})

it.each([
  { gates: { decision: 'often' } },
  { hooks: [{ event: 'never' }] },
])('refuses rules that cannot be used before it makes a store: %j', async (content) => {
  const config = configWith(content, temporaryFolder())
  await expect(open(config, {})).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  expect(existsSync(config.store)).toBe(false)
})
