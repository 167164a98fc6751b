import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** The programs of our own dependencies come first, with the Node that they bring. */
function environment(extra: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const path = `${join(ROOT, 'node_modules', '.bin')}${delimiter}${process.env['PATH'] ?? ''}`
  return { ...process.env, PATH: path, ...extra }
}

/** Runs a command on our own terminal. True where it succeeded. */
export async function run(
  [command = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const child = spawn(command, args, { cwd: ROOT, env: environment(env), stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  return code === 0
}

export interface Quiet {
  readonly isFine: boolean
  readonly output: string
}

/** Runs a command and keeps what it prints. */
export async function runQuietly(
  [command = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Quiet> {
  const child = spawn(command, args, { cwd: ROOT, env: environment(env), stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { isFine: code === 0, output: `${stdout}${stderr}` }
}
