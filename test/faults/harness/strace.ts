import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestOptions } from 'vitest'
import { missingPrograms, needs } from '../../helpers/needs.ts'
import { type Ran, runCli } from './cli.ts'
import { storeOf } from './home.ts'
import { needsAbility, run } from './need.ts'

/** The nth call of one kind that a command makes on the files of its store. */
export interface Point {
  readonly syscall: string
  readonly nth: number
}

/** Calls that change what is stored, or fail in their own way; each of them is a point. */
const STORING = new Set([
  'write',
  'pwrite64',
  'pwritev',
  'pwritev2',
  'writev',
  'fsync',
  'fdatasync',
  'sync_file_range',
  'ftruncate',
  'truncate',
  'fallocate',
  'openat',
  'open',
  'creat',
  'unlink',
  'unlinkat',
  'rename',
  'renameat',
  'renameat2',
  'link',
  'linkat',
  'mkdir',
  'mkdirat',
  'chmod',
  'fchmod',
  'fchmodat',
  'fchown',
  'utimensat',
  'msync',
])
/** Calls that only look or lock. One that stands in neither list is news, and the harness says so. */
const LOOKING = new Set([
  'stat',
  'lstat',
  'fstat',
  'statx',
  'newfstatat',
  'statfs',
  'fstatfs',
  'access',
  'getdents64',
  'faccessat',
  'faccessat2',
  'readlink',
  'pread64',
  'read',
  'lseek',
  'fcntl',
  'flock',
  'mmap',
  'munmap',
  'close',
  'epoll_ctl',
  'geteuid',
  'ioctl',
])

/** For tests that trace processes. */
export function needsTrace(): TestOptions {
  const missing = missingPrograms('strace')
  if (missing !== undefined) return needs(missing)
  return needsAbility('trace processes', () => {
    run('strace', ['-f', '-qq', '-o', '/dev/null', '-e', 'trace=openat', 'true'])
  })
}

/** Runs a command once undisturbed and counts the points at which it could be struck. */
export async function countPoints(home: string, args: readonly string[]): Promise<{ points: Point[]; ran: Ran }> {
  const log = join(home, 'strace.log')
  const ran = await runCli(home, args, { wrap: watchInto(log, home) })
  return { points: pointsIn(log), ran }
}

/** The words that write down every call of a command on the files of its store, and on those beside it that are named. */
export function watchInto(log: string, home: string, beside: readonly string[] = []): string[] {
  return ['strace', '-f', '-qq', '-o', log, ...pathsOf(home, beside)]
}

export function pointsIn(log: string): Point[] {
  const counts = new Map<string, number>()
  for (const [, syscall = ''] of readFileSync(log, 'utf8').matchAll(/^\d+ +(\w+)\(/gm)) {
    if (!STORING.has(syscall) && !LOOKING.has(syscall)) throw new Error(`the system call ${syscall} is in neither list`)
    if (STORING.has(syscall)) counts.set(syscall, (counts.get(syscall) ?? 0) + 1)
  }
  return [...counts].flatMap(([syscall, count]) =>
    Array.from({ length: count }, (_, index) => ({ syscall, nth: index + 1 })),
  )
}

/**
 * The points that a campaign strikes: all of them, or a part that is spread evenly over them. A part always has the first
 * and the last call of each kind in `edges`.
 */
export function spread(points: readonly Point[], part: number, edges: readonly string[]): readonly Point[] {
  if (part >= 1) return points
  const wanted = Math.ceil(points.length * part)
  const every = points.length / wanted
  const evenly = new Set(Array.from({ length: wanted }, (_, at) => points[Math.floor((at + 0.5) * every)]))
  return points.filter((point, at) => {
    const isFirst = point.nth === 1
    const isLast = points[at + 1]?.syscall !== point.syscall
    return evenly.has(point) || (edges.includes(point.syscall) && (isFirst || isLast))
  })
}

/** The words that kill a command as it enters the call, before the kernel carries it out. */
export const killAt = (home: string, point: Point, beside: readonly string[] = []): string[] =>
  inject(home, point, 'signal=SIGKILL', beside)

/** The words that let one call fail instead of carrying it out. */
export const failAt = (home: string, point: Point, error: string): string[] => inject(home, point, `error=${error}`)

/** The words that let every call of these kinds on files beside the store fail. */
export function failAlways(
  home: string,
  syscalls: readonly string[],
  error: string,
  beside: readonly string[],
): string[] {
  const paths = beside.flatMap((name) => ['-P', join(home, name)])
  const what = syscalls.flatMap((syscall) => ['-e', `inject=${syscall}:error=${error}`])
  return ['strace', '-f', '-qq', '-o', '/dev/null', ...paths, '-e', `trace=${syscalls.join(',')}`, ...what]
}

function inject(home: string, { syscall, nth }: Point, fault: string, beside: readonly string[] = []): string[] {
  const what = ['-e', `trace=${syscall}`, '-e', `inject=${syscall}:${fault}:when=${nth}`]
  return ['strace', '-f', '-qq', '-o', '/dev/null', ...pathsOf(home, beside), ...what]
}

function pathsOf(home: string, beside: readonly string[]): string[] {
  const files = ['', '-wal', '-shm', '-journal'].map((suffix) => storeOf(home) + suffix)
  return [...files, ...beside.map((name) => join(home, name))].flatMap((path) => ['-P', path])
}
