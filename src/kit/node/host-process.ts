import { readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { ancestors, type ProcessId } from './processes.ts'

/** Programs that run others, whose own name says nothing. */
const INTERPRETERS = new Set(['node', 'bun', 'deno'])

/**
 * The nearest program above a process that has one of these names. Whatever else stands above it, such as a terminal, a
 * test or somebody's script, only passes a call on: what it starts otherwise is not the work of the program.
 */
export function programAbove(pid: number, names: readonly string[]): ProcessId | undefined {
  if (names.length === 0) return undefined
  return ancestors(pid).find((each) => namesOf(each.pid).some((name) => names.includes(name)))
}

/** As the system calls it, as it was started, and as what it runs. */
function namesOf(pid: number): readonly string[] {
  const [program = '', script = ''] = wordsOf(pid)
  const own = [plain(read(`/proc/${pid}/comm`).trim()), plain(program)]
  return INTERPRETERS.has(plain(program)) ? [...own, plain(script)] : own
}

function wordsOf(pid: number): readonly string[] {
  if (process.platform === 'linux') return read(`/proc/${pid}/cmdline`).split('\0')
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  return (
    spawnSync('ps', ['-o', 'command=', '-p', `${pid}`], { encoding: 'utf8' })
      .stdout?.trim()
      .split(/\s+/) ?? []
  )
}

/** `/usr/bin/gemini.js` is `gemini`. */
function plain(path: string): string {
  return basename(path, extname(path)).toLowerCase()
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
