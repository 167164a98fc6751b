import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { type CommandOptions, commandEnvironment, EXECUTABLE, type Outcome, parseOutcome, postern } from './command.ts'
import { compiledCode } from './compiled-code.ts'
import { TIER } from './tier.ts'

const PROGRAM = fileURLToPath(new URL('warm-process.cjs', import.meta.url))

/** Processes that have run a command and wait for the next, by their program. */
const idle = new Map<string, WarmProcess[]>()

/**
 * Runs a command of the built program in a process that has run commands before: a tenth of what a process of its own
 * costs. It is for commands that prepare a test or look at its result, and for further cases of a rule that another test
 * proves with `postern`. The tiers `full` and `long` give every command a process of its own, so
 * `POSTERN_TIER=full npx vitest run --project scenarios` runs every test as users run Postern.
 */
export async function warmPostern(options: CommandOptions, ...args: readonly string[]): Promise<Outcome> {
  if (TIER !== 'quick' || needsOwnProcess(options)) return postern(options, ...args)
  return inWarmProcess(options, ...args)
}

/**
 * The same in every tier, for tests that run hundreds of commands. One that is not over in time is told to end, and killed
 * if it does not.
 */
export async function inWarmProcess(
  { killAfterMs, ...options }: CommandOptions & { readonly killAfterMs?: number },
  ...args: readonly string[]
): Promise<Outcome> {
  const { executable = EXECUTABLE } = options
  const waiting = (idle.get(executable) ?? []).filter((process) => process.isAlive())
  const process = waiting.pop() ?? startWarmProcess(executable)
  idle.set(executable, waiting)
  const signals = killAfterMs === undefined ? [] : (['SIGTERM', 'SIGKILL'] as const)
  const timers = signals.map((signal, at) => setTimeout(() => process.kill(signal), (at + 1) * (killAfterMs ?? 0)))
  const outcome = await process.run(options, args)
  timers.forEach(clearTimeout)
  idle.get(executable)?.push(process)
  return outcome
}

/** The JSON that a command answers; the command must have succeeded. */
export async function warmPosternJson<T>(options: CommandOptions, ...args: readonly string[]): Promise<T> {
  return parseOutcome(args, await warmPostern(options, ...args, '--json'))
}

/** Standard input and output are those of a process, and so are its rights. */
function needsOwnProcess({ stdin, stdoutFile, wrap }: CommandOptions): boolean {
  return stdin !== undefined || stdoutFile !== undefined || wrap !== undefined
}

interface WarmProcess {
  isAlive(): boolean
  kill(signal: NodeJS.Signals): void
  run(options: CommandOptions, args: readonly string[]): Promise<Outcome>
}

function startWarmProcess(executable: string): WarmProcess {
  const child = fork(PROGRAM, [executable, compiledCode()], { stdio: ['pipe', 'pipe', 'pipe', 'ipc'], execArgv: [] })
  child.stdin?.end()
  child.unref()
  child.channel?.unref()
  return {
    isAlive: () => child.connected,
    kill: (signal) => child.kill(signal),
    async run({ home, cwd = home, env, store }, args) {
      const end = `\0${randomUUID()}`
      const [stdout, stderr] = [collect(child.stdout, end), collect(child.stderr, end)]
      const exit = exitOf(child)
      const words = store === undefined ? args : [...args, '--store', store]
      child.send({ args: words, env: commandEnvironment(home, env), cwd, end })
      return { exit: await exit, stdout: await stdout, stderr: await stderr }
    },
  }
}

/** The exit code of the running command: as it returns it, or as its process ends with it. */
function exitOf(child: ChildProcess): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const onMessage = ({ exit }: { exit: number }) => settle(exit)
  const onExit = (code: number | null) => settle(code ?? 1)
  function settle(exit: number): void {
    child.off('message', onMessage as (message: unknown) => void).off('exit', onExit)
    resolve(exit)
  }
  child.on('message', onMessage as (message: unknown) => void).on('exit', onExit)
  return promise
}

/** The output of the running command: up to the end mark, or all of it where the process ends. */
function collect(stream: ChildProcess['stdout'], end: string): Promise<string> {
  if (stream === null) return Promise.resolve('')
  const { promise, resolve } = Promise.withResolvers<string>()
  const chunks: Buffer[] = []
  const settle = (text: string) => {
    stream.off('data', onData).off('close', onClose)
    resolve(text)
  }
  const onData = (chunk: Buffer) => {
    chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    if (text.endsWith(end)) settle(text.slice(0, -end.length))
  }
  const onClose = () => settle(Buffer.concat(chunks).toString())
  stream.on('data', onData).on('close', onClose)
  return promise
}
