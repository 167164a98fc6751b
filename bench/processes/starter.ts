import { spawn } from 'node:child_process'
import { on } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { inQuotes } from '../../src/kit/pure/shell-word.ts'

const SCRIPT = fileURLToPath(new URL('./starter.sh', import.meta.url))

export interface StarterOptions {
  /** Programs run here, and what they are given and complain of lies here. */
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
}

/** Milliseconds from the start of a program to its end; rejects where that was no success. */
export type Start = (program: string, args: readonly string[], input?: string) => Promise<number>

/** One program at a time. It goes when we do. */
export function openStarter({ folder, env }: StarterOptions): Start {
  const child = spawn('bash', [SCRIPT], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  // Where there is no bash, or none that tells the time, whoever starts something is told.
  for (const each of [child, child.stdin]) each.on('error', () => {})
  const answers = on(createInterface(child.stdout), 'line', { close: ['close'] })
  const keep = (isKept: boolean) => {
    for (const each of [child, child.stdin, child.stdout] as Holder[]) each[isKept ? 'ref' : 'unref']()
  }
  keep(false)
  const [given, said] = [join(folder, 'starter-input'), join(folder, 'starter-errors')]
  return async (program, args, input = '') => {
    writeFileSync(given, input)
    keep(true)
    child.stdin.write(
      `${[program, ...args].map(inQuotes).join(' ')} <${inQuotes(given)} >/dev/null 2>${inQuotes(said)}\n`,
    )
    const { value, done } = await answers.next()
    keep(false)
    if (done) throw new Error('programs are started by bash 5 or newer, and there is none')
    const [microseconds, code] = String(value).split(' ')
    if (code !== '0') throw new Error(`exit code ${code}: ${readFileSync(said, 'utf8').trim()}`)
    return Number(microseconds) / 1000
  }
}

/** What keeps the process alive as long as it is held. */
interface Holder {
  ref(): void
  unref(): void
}
