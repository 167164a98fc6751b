import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { compiledCode } from '../helpers/compiled-code.ts'
import { makeTemporaryFolder, removeFolder } from '../helpers/temp.ts'
import { SUITE } from './official.ts'

/** One thing that a scenario of the suite looks at. */
export interface Check {
  readonly id: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED'
  readonly errorMessage?: string
}

export type Revision = '2025-11-25' | '2026-07-28'

/** Runs every scenario of a revision against a server; what each of them has checked, by its name. */
export async function runSuite(url: string, revision: Revision): Promise<ReadonlyMap<string, readonly Check[]>> {
  const folder = makeTemporaryFolder()
  try {
    const args = [SUITE, 'server', '--url', url, '--suite', 'all', '--spec-version', revision, '-o', folder]
    const env = { ...process.env, NODE_COMPILE_CACHE: compiledCode() }
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const [said] = await Promise.all([text(child.stdout), once(child, 'exit')])
    const files = globSync(join(folder, '*', 'checks.json'))
    if (files.length === 0) throw new Error(`the suite has run nothing: ${said}`)
    return new Map(files.map((file) => [scenarioOf(file), JSON.parse(readFileSync(file, 'utf8'))]))
  } finally {
    removeFolder(folder)
  }
}

/** Its folder is called `server-<scenario>-<time>`. */
function scenarioOf(file: string): string {
  return basename(dirname(file))
    .replace(/^server-/, '')
    .replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '')
}
