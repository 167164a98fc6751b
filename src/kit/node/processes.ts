import type { ExecFileSyncOptionsWithStringEncoding } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'

/**
 * Who a process is. A number alone does not say, for numbers are used again: a process is its number together with
 * the moment it started. The moment is good for telling processes apart, not for comparing with other clocks: Linux
 * knows the time of booting to the second only, so it may lie up to a second early. It is the same at every reading
 * unless somebody sets the machine's clock.
 */
export interface ProcessId {
  readonly pid: number
  readonly startedAt: number
}

interface ProcessRow {
  readonly parentPid: number
  readonly startedAt: number
  /** Dead, and only waiting for its parent to notice. */
  readonly isZombie: boolean
}

/** USER_HZ is 100 on every architecture that Node runs on. */
const TICK_MS = 10

/** Two clock ticks: what rounding may make of one and the same moment. `ps` gives whole seconds. */
const TOLERANCE_MS = process.platform === 'linux' ? 2 * TICK_MS : 1000

const MAX_ANCESTORS = 64

/** When a process started, in ms since the epoch; undefined where there is none or it cannot be known. */
export function processStart(pid: number): number | undefined {
  return readProcess(pid)?.startedAt
}

/**
 * Whether the process that started at that moment still lives. A later process under its number means that it is
 * gone. An earlier one cannot have taken its number: then the clock was set back, and nothing can be said.
 */
export function isAlive(pid: number, startedAt: number): 'alive' | 'gone' | 'unknown' {
  if (!isPid(pid)) return 'gone'
  const row = readProcess(pid)
  if (row === undefined) return exists(pid) ? 'unknown' : 'gone'
  if (row.isZombie || row.startedAt > startedAt + TOLERANCE_MS) return 'gone'
  return row.startedAt < startedAt - TOLERANCE_MS ? 'unknown' : 'alive'
}

/** Whether two looks saw the same process, apart from rounding. */
export function isSameProcess(a: ProcessId, b: ProcessId): boolean {
  return a.pid === b.pid && Math.abs(a.startedAt - b.startedAt) <= TOLERANCE_MS
}

/** Of the flags in `/proc/<pid>/stat`: the process has begun to end. */
const ENDING = 0x4

/**
 * Whether a process is there and has not begun to end. One that was killed closes its files first, and only then do its
 * children lose it: whoever sees a pipe close must not take such a one for a process that has closed it and lives.
 */
export function isStaying(pid: number): boolean {
  if (process.platform !== 'linux') return readProcess(pid)?.isZombie === false
  const stat = readText(`/proc/${pid}/stat`) ?? ''
  const [state = 'X', , , , , , flags] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return !/[ZX]/.test(state) && (Number(flags ?? ENDING) & ENDING) === 0
}

/** The parent, its parent and so on, nearest first; as far as they can be seen. */
export function ancestors(pid: number): ProcessId[] {
  const found: ProcessId[] = []
  const boot = bootedAt()
  let next = readProcess(pid, boot)?.parentPid
  while (next !== undefined && next > 0 && found.length < MAX_ANCESTORS) {
    const row = readProcess(next, boot)
    if (row === undefined) break
    found.push({ pid: next, startedAt: row.startedAt })
    next = row.parentPid
  }
  return found
}

/** A process above this one. */
export interface Ancestor {
  readonly startedAt: number
  /** Its numbers: in the pid namespace that /proc shows, and in each namespace from there down to its own. */
  readonly pids: readonly number[]
}

/** The processes above this one, nearest first. */
export function ownAncestors(): Ancestor[] {
  const pid = ownPid()
  // Only a /proc of an outer namespace shows processes with several numbers.
  const isNested = pidsOf(pid).length > 1
  return ancestors(pid).map((each) => ({
    startedAt: each.startedAt,
    pids: isNested ? pidsOf(each.pid) : [each.pid],
  }))
}

/** The number of this process in /proc. In a namespace of its own, a process may still see the /proc of an outer one. */
export function ownPid(): number {
  return Number(read(() => readlinkSync('/proc/self'))) || process.pid
}

function pidsOf(pid: number): readonly number[] {
  const numbers = /^NSpid:\s+(.+)$/m.exec(readText(`/proc/${pid}/status`) ?? '')?.[1]
  return numbers === undefined ? [pid] : numbers.split('\t').map(Number)
}

function readProcess(pid: number, boot = bootedAt()): ProcessRow | undefined {
  if (!isPid(pid)) return undefined
  if (process.platform === 'linux') return readFromProc(pid, boot)
  return process.platform === 'win32' ? undefined : readFromPs(pid)
}

function isPid(pid: number): boolean {
  return Number.isSafeInteger(pid) && pid > 0
}

/** Permission to ask is not needed to learn that it is there. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function readFromProc(pid: number, boot: number | undefined): ProcessRow | undefined {
  const stat = readText(`/proc/${pid}/stat`)
  return stat === undefined || boot === undefined ? undefined : parseProcStat(stat, boot)
}

/** Reads `/proc/<pid>/stat`. The second field is the program's name, which may hold spaces and parentheses. */
export function parseProcStat(stat: string, bootedAtMs: number): ProcessRow | undefined {
  const [state = '', parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // Fields count from 1 and state is the third, so the 22nd, the start time, is the eighteenth after the parent's.
  const parentPid = Number(parent)
  const ticks = Number(rest[17])
  if (!Number.isSafeInteger(parentPid) || !Number.isSafeInteger(ticks)) return undefined
  return { parentPid, startedAt: bootedAtMs + ticks * TICK_MS, isZombie: state === 'Z' || state === 'X' }
}

/** Read anew each time: setting the clock changes it, and a waiter may live for weeks. */
function bootedAt(): number | undefined {
  const seconds = /^btime (\d+)$/m.exec(readText('/proc/stat') ?? '')?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}

const PS_OPTIONS: ExecFileSyncOptionsWithStringEncoding = {
  encoding: 'utf8',
  env: { LC_ALL: 'C' },
  timeout: 2000,
  stdio: ['ignore', 'pipe', 'ignore'],
}

function readFromPs(pid: number): ProcessRow | undefined {
  try {
    // Its own environment: the language of the user would change how the date is written.
    return parsePs(childProcess().execFileSync('/bin/ps', ['-o', 'ppid=,stat=,lstart=', '-p', String(pid)], PS_OPTIONS))
  } catch {
    return undefined
  }
}

/** Reads one line of `ps -o ppid=,stat=,lstart=`, such as `  1 S  Sun Nov 15 21:23:10 2026`. */
export function parsePs(line: string): ProcessRow | undefined {
  const [, parent, state = '', start = ''] = /^\s*(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? []
  const startedAt = Date.parse(start)
  return Number.isNaN(startedAt) ? undefined : { parentPid: Number(parent), startedAt, isZombie: state.startsWith('Z') }
}

/** Loaded only where there is no /proc: it is the heaviest module of Node that a short command could pull in. */
function childProcess(): typeof import('node:child_process') {
  return process.getBuiltinModule('node:child_process')
}

/**
 * Where process numbers mean what they mean here: a host, since it was last started, and a container on it. Processes
 * of another place cannot be looked for.
 */
export function machineName(): string {
  return [hostName(), ...PLACES.map(read)].filter((part) => part !== '').join(' ')
}

/**
 * Whether two machine names are of one running system, containers and other pid namespaces included. There a number and
 * a start time mean the same process, whichever namespace counted.
 */
export function isSameSystem(a: string, b: string): boolean {
  const [bootA, bootB] = [a.split(' ')[1], b.split(' ')[1]]
  return bootA === undefined || bootB === undefined ? a === b : bootA === bootB
}

/** What this host is called, before and after a reboot. From the kernel where it offers a file for it: Node's module takes longer to load than all else here. */
export function hostName(): string {
  const name = read(() => readFileSync('/proc/sys/kernel/hostname', 'utf8').trim())
  return name || process.getBuiltinModule('node:os').hostname()
}

const PLACES: readonly (() => string)[] = [
  () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
  () => readlinkSync('/proc/self/ns/pid'),
]

function read(place: () => string): string {
  try {
    return place()
  } catch {
    return ''
  }
}
