import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { shareCompiledCode } from './compiled-code.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const EXECUTABLE = join(ROOT, 'bin', 'postern.cjs')

export interface Outcome {
  readonly exit: number
  readonly stdout: string
  readonly stderr: string
}

export interface CommandOptions {
  readonly home: string
  /** A PostgreSQL URL; absent: the embedded store of the home. */
  readonly store?: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  readonly cwd?: string
  /** Another copy of the program than that of this clone. */
  readonly executable?: string
  /** Words before Node's own, such as those of setpriv. */
  readonly wrap?: readonly string[]
  /** Where stdout goes instead of being captured. */
  readonly stdoutFile?: string
  /** True: the home compiles its code itself. Otherwise all homes share it. */
  readonly hasOwnCache?: boolean
}

/** Runs the real executable, as a user would, in an environment that names nothing else. */
export async function postern(options: CommandOptions, ...args: readonly string[]): Promise<Outcome> {
  if (!existsSync(join(ROOT, 'dist', 'main.cjs')))
    throw new Error('the executable is not built: run "npm run build" first')
  const env = commandEnvironment(options.home, options.env)
  if (!options.hasOwnCache) shareCompiledCode(homeOf(env))
  const store = options.store === undefined ? [] : ['--store', options.store]
  const file = options.stdoutFile === undefined ? undefined : openSync(options.stdoutFile, 'w')
  const [command = '', ...words] = [
    ...(options.wrap ?? []),
    process.execPath,
    options.executable ?? EXECUTABLE,
    ...args,
    ...store,
  ]
  const child = spawn(command, words, {
    cwd: options.cwd ?? options.home,
    env,
    stdio: ['pipe', file ?? 'pipe', 'pipe'],
  })
  if (file !== undefined) closeSync(file)
  const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
  child.stdout?.on('data', (chunk: Buffer) => chunks.stdout.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => chunks.stderr.push(chunk))
  // A command that was killed, or that reads nothing, takes no input.
  child.stdin?.on('error', () => {})
  child.stdin?.end(options.stdin ?? '')
  const exit = await new Promise<number>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve(code ?? (signal ? 128 : 1)))
  })
  return { exit, stdout: Buffer.concat(chunks.stdout).toString(), stderr: Buffer.concat(chunks.stderr).toString() }
}

/** Everything that a command finds in its environment. */
export function commandEnvironment(home: string, more: CommandOptions['env'] = {}): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: home, POSTERN_HOME: home, ...more }
}

/** The home that a command finds in its environment. */
function homeOf({ HOME = '', POSTERN_HOME }: Record<string, string>): string {
  return POSTERN_HOME || join(HOME, '.postern')
}

/** The JSON that a command answers; the command must have succeeded. */
export async function posternJson<T>(options: CommandOptions, ...args: readonly string[]): Promise<T> {
  return parseOutcome(args, await postern(options, ...args, '--json'))
}

export function parseOutcome<T>(args: readonly string[], { exit, stdout, stderr }: Outcome): T {
  if (exit !== 0) throw new Error(`postern ${args.join(' ')} exited with ${exit}: ${stderr}`)
  return JSON.parse(stdout)
}

/** Ids, times, the width of the column that times stand in, fence nonces and where a caller is differ from run to run; everything else must not. */
export function withoutChance(text: string): string {
  return text
    .replace(/\b(msg|off|gate|dec)_[0-9A-Z]{26}\b/g, '$1_ID')
    .replace(/\bMSG-\d{8}-\d{6}-\d{9}-PID\d{5,}-\d{4,}\b/g, 'MSG-ID')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/g, 'TIME')
    .replace(/fence [a-z0-9]{12}/g, 'fence NONCE')
    .replace(/, (?:pid \d+|127\.0\.0\.1|UNIX socket)\) tried/g, ', PEER) tried')
    .replace(/(?:just now|<?[\d.]+m?s) ago|just now/g, 'WHEN')
    .replace(/ {2,}/g, '  ')
}
