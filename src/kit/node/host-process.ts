import { readFileSync, readlinkSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { ancestors, type ProcessId } from './processes.ts'

/** Programs that run others, whose own name says nothing. */
const INTERPRETERS = new Set(['node', 'bun', 'deno'])

/**
 * The nearest program above a process that has one of these names. Programs between them, such as shells and scripts, do
 * not count. The first process of a machine or container is above every process, so it never counts as a host.
 */
export function programAbove(pid: number, names: readonly string[]): ProcessId | undefined {
  if (names.length === 0) return undefined
  return ancestors(pid).find((each) => each.pid > 1 && namesOf(each.pid).some((name) => names.includes(name)))
}

const SHELLS = new Set(['sh', 'bash', 'dash', 'ash', 'busybox', 'zsh', 'ksh', 'fish', 'env', 'timeout'])

/**
 * The nearest process above one that is no shell and does not write into the same pipe. Shells and programs that
 * pass on output may exit before the host has used it; the process that created the pipe is the reader.
 */
export function starterAbove(pid: number): ProcessId | undefined {
  const output = outputOf(pid)
  const passesOn = (each: number) => output !== undefined && outputOf(each) === output
  const isShell = (each: number) => namesOf(each).some((name) => SHELLS.has(name))
  return ancestors(pid).find((each) => each.pid > 1 && !isShell(each.pid) && !passesOn(each.pid))
}

/** The pipe or socket that is a process's output; undefined where it is another thing, or cannot be seen. */
function outputOf(pid: number): string | undefined {
  try {
    const output = readlinkSync(`/proc/${pid}/fd/1`)
    return /^(?:pipe|socket):/.test(output) ? output : undefined
  } catch {
    return undefined
  }
}

/** Whether a program of one of these names has started a process itself. */
export function isChildOf(pid: number, names: readonly string[]): boolean {
  const [parent] = ancestors(pid)
  return parent !== undefined && namesOf(parent.pid).some((name) => names.includes(name))
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
