import { chmodSync, cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { reasonOfNpm } from '../helpers/packages.ts'
import { makeTemporaryFolder, removeFolder } from '../helpers/temp.ts'
import { CLIENTS, type ClientName, installClients } from './clients.ts'

/**
 * A `globalSetup` of vitest: the clients' programs and a copy of the built Postern, once for the whole run. The clients
 * are null where they cannot be installed; that is said loudly, and in CI it is a failure.
 */
declare module 'vitest' {
  interface ProvidedContext {
    clients: Record<ClientName, string> | null
    /** The built `postern.cjs`, where a build that runs meanwhile does not pull it from under the tests. */
    executable: string
  }
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export async function setup(project: TestProject): Promise<() => void> {
  if (!existsSync(join(ROOT, 'dist', 'main.cjs')))
    throw new Error('the executable is not built: run "npm run build" first; the tests never do')
  const folder = makeTemporaryFolder()
  chmodSync(folder, 0o755)
  for (const part of ['bin', 'dist', 'native', 'package.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  project.provide('executable', join(folder, 'bin', 'postern.cjs'))
  project.provide('clients', await tryToInstall())
  return () => removeFolder(folder)
}

async function tryToInstall(): Promise<Record<ClientName, string> | null> {
  try {
    return await installClients(Object.keys(CLIENTS) as ClientName[])
  } catch (error) {
    const notice = `The real clients cannot be installed: ${reasonOfNpm(error)}`
    if (process.env['CI'] === 'true') throw new Error(notice, { cause: error })
    console.error(`\n*** ${notice}. The tests that drive them are skipped. ***\n`)
    return null
  }
}
