import { type ChildProcess, spawn } from 'node:child_process'
import type { Writable } from 'node:stream'

export interface FedCommand {
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly input: string
  /** Called once all of the input was taken. */
  readonly onTaken: () => void
}

export interface FedOutcome {
  /** Null where a signal ended it, or it could not be started. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly isTaken: boolean
  /** Why it could not be started. */
  readonly failure: string | null
}

export interface RunningCommand {
  readonly ended: Promise<FedOutcome>
  /** Sends a signal to it and to everything that it has started. */
  kill(signal: NodeJS.Signals): void
}

/** What a reader that wants no more gets to leave, before it is handed the end of its input. */
const GRACE_MS = 40

/** Starts a command in a process group of its own and hands it its input. Its output goes where ours goes. */
export function startCommand({ words, env, input, onTaken }: FedCommand): RunningCommand {
  const [program = '', ...args] = words
  const child = spawn(program, args, { stdio: ['pipe', 'inherit', 'inherit'], detached: true, env })
  const taken = feed(child, input).then((isTaken) => {
    if (isTaken) onTaken()
    return isTaken
  })
  const ended = new Promise<FedOutcome>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (child.pid === undefined)
        resolve({ exitCode: null, signal: null, isTaken: false, failure: error.code ?? error.message })
    })
    child.once('exit', async (exitCode, signal) => {
      resolve({ exitCode, signal, isTaken: await taken, failure: null })
    })
  })
  return { ended, kill: (signal) => killGroup(child, signal) }
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // It ended by itself meanwhile.
  }
}

/**
 * True where all of the input was taken. A pipe takes more than its reader ever reads, so the last character is held
 * back for a moment: a command that has gone by then, or closed its input, has not taken it.
 */
function feed(child: ChildProcess, input: string): Promise<boolean> {
  const stdin = child.stdin as Writable
  const bytes = Buffer.from(input)
  return new Promise((resolve) => {
    const fail = () => resolve(false)
    stdin.on('error', fail)
    child.once('exit', () => setImmediate(fail))
    stdin.write(bytes.subarray(0, -1), (error) => {
      if (error) return fail()
      return setTimeout(() => {
        stdin.end(bytes.subarray(-1), (error?: Error | null) => resolve(!error))
      }, GRACE_MS)
    })
  })
}
