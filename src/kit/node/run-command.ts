import type { ChildProcess } from 'node:child_process'

export interface RunOptions {
  readonly folder: string | null
  readonly timeoutMs: number
  /** Handed to its standard input; absent: it has none. */
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
}

export interface RunOutcome {
  /** Null where it did not end by itself: it took too long, or was killed. */
  readonly exitCode: number | null
  /** The beginning of its standard output. */
  readonly output: string
}

const OUTPUT_BYTES = 64 * 1024
const FAILED_TO_START = 127
const LAST_WORDS_MS = 50

/**
 * Runs a command in a shell. One that takes too long is ended together with whatever it has started, so that nothing of
 * it lives on behind the back of whoever asked.
 */
export function runCommand(command: string, options: RunOptions): Promise<RunOutcome> {
  return new Promise((resolve) => {
    const child = start(command, options)
    if (child === undefined) return resolve({ exitCode: FAILED_TO_START, output: '' })
    const chunks: Buffer[] = []
    let bytes = 0
    child.stdout?.on('data', (chunk: Buffer) => {
      if (bytes < OUTPUT_BYTES) chunks.push(chunk)
      bytes += chunk.length
    })
    child.stdin?.on('error', () => {})
    child.stdin?.end(options.input)
    let timer = setTimeout(() => endGroup(child), options.timeoutMs)
    const settle = (exitCode: number | null) => {
      clearTimeout(timer)
      child.stdin?.destroy()
      child.stdout?.destroy()
      resolve({ exitCode, output: Buffer.concat(chunks).subarray(0, OUTPUT_BYTES).toString('utf8') })
    }
    child.on('error', () => settle(FAILED_TO_START))
    child.on('close', settle)
    // A grandchild that keeps the pipe open must not keep us: what was said before the end has come by then.
    child.on('exit', (code) => {
      clearTimeout(timer)
      timer = setTimeout(settle, LAST_WORDS_MS, code)
    })
  })
}

/** Returns undefined if the system refuses the command or its folder at once, for example because a path is too long. */
function start(command: string, { folder, env, input }: RunOptions): ChildProcess | undefined {
  const { spawn } = process.getBuiltinModule('node:child_process')
  try {
    return spawn('/bin/sh', ['-c', command], {
      ...(folder !== null && { cwd: folder }),
      ...(env && { env: { ...process.env, ...env } }),
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'ignore'],
      detached: true,
    })
  } catch {
    return undefined
  }
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended by itself meanwhile.
  }
}
