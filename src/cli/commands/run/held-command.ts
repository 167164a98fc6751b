import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { Readable, type Writable } from 'node:stream'
import { openPipes } from './pipe.ts'

export interface CommandToHold {
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** What it reads; absent: what we would. */
  readonly input: number | undefined
  /** Where pipes can be made. */
  readonly folder: string
}

/** A command whose process is there already, and does not begin before it is let go. */
export interface HeldCommand {
  /** Its number, and that of the group of all that it will start; undefined where no process could be made. */
  readonly pid: number | undefined
  readonly stdout: Readable
  readonly stderr: Readable
  /** The command itself has ended; what it has started may live on. */
  readonly ended: Promise<CommandEnd>
  letGo(): void
  /** Sends a signal to it and to everything that it has started. */
  kill(signal: NodeJS.Signals): void
}

export interface CommandEnd {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** Why it could not be started. */
  readonly failure: string | null
}

/** Where the word to begin comes in; whoever dies before saying it closes it, and then nothing is begun. */
const GATE = 3
const SCRIPT = `IFS= read -r _ <&${GATE} && exec ${GATE}<&- && exec "$@"`

/**
 * Makes the process of a command, in a group and a session of its own. It is a shell that waits for a word and then becomes
 * the command: so its number can be told to everybody before anything of it runs.
 */
export async function holdCommand(wanted: CommandToHold): Promise<HeldCommand> {
  const pipes = await openPipes(wanted.folder, ['.stdout', '.stderr'])
  const [out, err] = pipes ?? []
  try {
    const child = start(wanted, out?.fd ?? 'pipe', err?.fd ?? 'pipe')
    const ended = endOf(child)
    await once(child, 'spawn')
    const gate = child.stdio[GATE] as Writable
    // Whoever was killed before takes no word.
    gate.on('error', () => {})
    return {
      pid: child.pid,
      stdout: out?.source ?? (child.stdout as Readable),
      stderr: err?.source ?? (child.stderr as Readable),
      ended,
      letGo: () => gate.end('\n'),
      kill: (signal) => killGroup(child, signal),
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const ended = Promise.resolve({ exitCode: null, signal: null, failure: code ?? message })
    const nothing = { pid: undefined, letGo: () => {}, kill: () => {} }
    return { ...nothing, ended, stdout: out?.source ?? Readable.from([]), stderr: err?.source ?? Readable.from([]) }
  } finally {
    for (const pipe of pipes ?? []) pipe.closeOurs()
  }
}

function start({ words, env, input }: CommandToHold, stdout: StdioOption, stderr: StdioOption): ChildProcess {
  const [shell, options] = shellFor(env)
  return spawn(shell, [...options, '-c', SCRIPT, 'postern', ...words], {
    stdio: [input ?? 'inherit', stdout, stderr, 'pipe'],
    // In a session of its own, so that what is typed at the terminal comes to us alone.
    detached: true,
    env,
  })
}

type StdioOption = number | 'pipe'

const BASH = '/bin/bash'

/** Some shells drop variables whose names they could not have made, and those are the command's to have. */
function shellFor(env: CommandToHold['env']): [string, string[]] {
  const isPlain = Object.keys(env).every((name) => /^[A-Za-z_]\w*$/.test(name))
  return isPlain || !existsSync(BASH) ? ['/bin/sh', []] : [BASH, ['--norc', '-p']]
}

async function endOf(child: ChildProcess): Promise<CommandEnd> {
  const [exitCode, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
    child.once('exit', (...end) => resolve(end))
  })
  return { exitCode, signal, failure: null }
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // All of it has ended meanwhile.
  }
}
