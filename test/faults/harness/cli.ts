import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, expect } from 'vitest'
import { type ErrorCode, errorTable, outcomeOf } from '../../../src/model/errors.ts'
import { PATIENT_HOOK } from '../../helpers/patience.ts'
import { makeTemporaryFolder, removeFolder } from '../../helpers/temp.ts'
import { busRootOf } from './home.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

let copied: string | undefined
afterAll(() => {
  if (copied !== undefined) removeFolder(dirname(dirname(copied)))
})

/** The built command, copied once so that a build that runs meanwhile does not pull it from under the tests. */
function executable(): string {
  if (copied !== undefined) return copied
  const missing = ['main.cjs', 'often.cjs'].map((name) => join(ROOT, 'dist', name)).find((path) => !existsSync(path))
  if (missing) throw new Error(`${missing} is missing: build first ("npm run build"); the tests never do`)
  const folder = makeTemporaryFolder()
  // Commands are run as other users too.
  chmodSync(folder, 0o755)
  // Types are of no use there, and a build may be writing them.
  const filter = (source: string) => !source.includes(join('dist', 'types'))
  for (const part of ['bin', 'dist', join('native', 'prebuilt')])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true, filter })
  copyFileSync(PATIENT_HOOK, join(folder, basename(PATIENT_HOOK)))
  mkdirSync(join(folder, COMPILED), { mode: 0o700 })
  copied = join(folder, 'bin', 'postern.cjs')
  return copied
}

/** Beside the copy of the command: what it has compiled. */
const COMPILED = 'compiled'

/** Lets a home use what commands in other homes have compiled, so that its first one takes half as long. */
function shareCompiledCode(home: string): void {
  try {
    symlinkSync(join(dirname(dirname(executable())), COMPILED), join(home, 'cache'))
  } catch {
    // The home is missing, or has a cache already. The command works without it.
  }
}

/** Options of Node that give a hook a minute to answer; see test/helpers/preloads/patient-hook.cjs. */
export function patientNode(): readonly string[] {
  return ['--require', join(dirname(dirname(executable())), basename(PATIENT_HOOK))]
}

export interface Ran {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  /** Words before Node's own, such as those of strace. */
  readonly wrap?: readonly string[]
  /** Options of Node itself. */
  readonly node?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** Runs the built command as a process of its own. */
export async function runCli(home: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const [command = '', ...rest] = cliCommand(args, options)
  const child = spawn(command, rest, { env: cliEnvironment(home, options.env), stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code, signal, stdout, stderr }
}

/** Runs it from a line of shell, in which `postern` is the built command. */
export async function runShell(home: string, line: string): Promise<Ran> {
  const script = `postern() { ${cliCommand([]).map(quote).join(' ')} "$@"; }\n${line}`
  const child = spawn('bash', ['-c', script], { env: cliEnvironment(home), stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code, signal, stdout, stderr }
}

export function cliCommand(args: readonly string[], { wrap = [], node = [] }: RunOptions = {}): string[] {
  return [...wrap, process.execPath, ...node, executable(), ...args]
}

/** Nothing of the machine's own configuration gets in. */
export function cliEnvironment(home: string, extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  shareCompiledCode(home)
  const { POSTERN_AGENT: _, POSTERN_STORE: __, NODE_OPTIONS: ___, ...env } = process.env
  return { ...env, POSTERN_HOME: home, POSTERN_BUS_ROOT: busRootOf(home), ...extra }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** The answer of a command that must have worked. */
export function answerOf<T>(ran: Ran): T {
  if (ran.code !== 0) throw new Error(`exit ${ran.code ?? ran.signal}: ${ran.stderr}`)
  return JSON.parse(ran.stdout) as T
}

export async function askCli<T>(home: string, args: readonly string[]): Promise<T> {
  return answerOf<T>(await runCli(home, [...args, '--json']))
}

/** What is wrong with the way in which a command failed, if anything: one line, a known code, its exit code. */
export function faultOfFailure({ code, signal, stderr }: Ran): string | undefined {
  const said = `exit ${code ?? signal}, stderr ${JSON.stringify(stderr)}`
  const [, errorCode = ''] = /^postern: [^\n]+ \[([A-Z_]+)\]\n$/.exec(stderr) ?? []
  if (!(errorCode in errorTable())) return `not one line with a known code: ${said}`
  if (errorCode === 'INTERNAL') return `an error that nobody expected: ${said}`
  return outcomeOf(errorCode as ErrorCode).exit === code ? undefined : `another exit code than documented: ${said}`
}

export function expectFailure(ran: Ran, code: ErrorCode): void {
  expect(ran.stderr).toContain(`[${code}]`)
  expect(faultOfFailure(ran)).toBeUndefined()
}
