import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { EXECUTABLE, type Outcome } from './command.ts'
import { shareCompiledCode } from './compiled-code.ts'
import { warmPostern } from './warm-command.ts'

/** `postern` and `npx postern` are the executable of this clone. */
const FUNCTIONS = 'postern() { node "$EXECUTABLE" "$@"; }; npx() { shift; postern "$@"; }; set -o pipefail;'

/** Runs a line as a user types it, in a home folder that holds nothing else. */
export async function runInShell({ home }: { readonly home: string }, line: string): Promise<Outcome> {
  shareCompiledCode(join(home, '.postern'))
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

/** The same for a tenth of the cost where the line is only a command and its words. Other lines go to a shell. */
export async function runWarmInShell({ home }: { readonly home: string }, line: string): Promise<Outcome> {
  const words = plainWords(line)
  if (words === undefined) return runInShell({ home }, line)
  return warmPostern({ home, env: { POSTERN_HOME: '' } }, ...words)
}

/** A word that a shell passes on as it is: in quotes, or without a character that means something to it. */
const WORD = /^(?:"([^"\\$`]*)"|'([^']*)'|([^\s"'\\$`|&;<>()*?~#{}[\]!]+))(?:\s+|$)/

/** The words after `postern` where the line is only a command and its words. */
function plainWords(line: string): readonly string[] | undefined {
  let [, rest] = /^(?:npx )?postern (.*?)(?:\s+#.*)?$/.exec(line.trim()) ?? []
  const words: string[] = []
  while (rest) {
    const [whole, double, single, bare] = WORD.exec(rest) ?? []
    if (whole === undefined) return undefined
    words.push(double ?? single ?? bare ?? '')
    rest = rest.slice(whole.length)
  }
  return words.length > 0 ? words : undefined
}
