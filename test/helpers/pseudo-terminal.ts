import { spawn } from 'node:child_process'
import { type CommandOptions, EXECUTABLE } from './command.ts'
import { shareCompiledCode } from './compiled-code.ts'

export interface TerminalOutcome {
  readonly exit: number
  /** What was sent to the terminal, row by row as the program broke it. */
  readonly rows: readonly string[]
}

/** Runs the real executable on a terminal of so many columns, by `script` of util-linux. */
export async function posternOnTerminal(
  { home }: CommandOptions,
  columns: number,
  ...args: readonly string[]
): Promise<TerminalOutcome> {
  shareCompiledCode(home)
  const command = [process.execPath, EXECUTABLE, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  const child = spawn('script', ['-qec', `stty cols ${columns} && exec ${command}`, '/dev/null'], {
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, POSTERN_HOME: home, TERM: 'xterm', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  const exit = await new Promise<number>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve(code ?? 1))
  })
  const text = Buffer.concat(chunks).toString()
  // The terminal's own line ends are CR LF; a program that had sent a CR of its own would show another one here.
  return { exit, rows: text.replace(/\r\n$/, '').split('\r\n') }
}
