import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { EXECUTABLE, type Outcome } from './command.ts'

/** `postern` and `npx postern` are the executable of this clone. */
const FUNCTIONS = 'postern() { node "$EXECUTABLE" "$@"; }; npx() { shift; postern "$@"; }; set -o pipefail;'

/** Runs a line as a user types it, in a home folder that holds nothing else. */
export async function runInShell({ home }: { readonly home: string }, line: string): Promise<Outcome> {
  const child = spawn('bash', ['--norc', '-c', `${FUNCTIONS}\n${line}`], {
    cwd: home,
    env: {
      PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
      HOME: home,
      EXECUTABLE,
      ROOT: dirname(dirname(EXECUTABLE)),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const texts = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    texts.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    texts.stderr += text
  })
  const exit = await new Promise<number>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve(code ?? 1))
  })
  return { exit, ...texts }
}
