import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { NEEDS_LINUX, needsPrograms } from '../../../test/helpers/needs.ts'
import { DEAD_MACHINE_MS, PATIENTLY } from '../../../test/helpers/patience.ts'
import { ancestors, isAlive, isStaying, parseProcStat, parsePs, processStart } from './processes.ts'

const children: ChildProcess[] = []

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

async function startChild(command: string, ...args: string[]): Promise<ChildProcess & { pid: number }> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  await once(child, 'spawn')
  return child as ChildProcess & { pid: number }
}

function startOf(pid: number): number {
  const start = processStart(pid)
  if (start === undefined) throw new Error(`process ${pid} has no start`)
  return start
}

describe('processStart', () => {
  it('is when this process began', () => {
    const start = startOf(process.pid)
    expect(performance.timeOrigin - start).toBeGreaterThan(-100)
    // Its clock starts a little later, on a busy machine some seconds.
    expect(performance.timeOrigin - start).toBeLessThan(DEAD_MACHINE_MS)
  })

  it('is the same at every reading', () => {
    expect(new Set(Array.from({ length: 100 }, () => processStart(process.pid))).size).toBe(1)
  })

  it('is unknown for numbers that are no process', () => {
    for (const pid of [0, -1, 1.5, Number.NaN, 2 ** 22 + 1]) expect(processStart(pid)).toBeUndefined()
  })
})

describe('isAlive', () => {
  it('knows a living process from one that has ended', async () => {
    const child = await startChild('cat')
    const start = startOf(child.pid)
    expect(isAlive(child.pid, start)).toBe('alive')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(isAlive(child.pid, start)).toBe('gone')
  })

  it('takes a later process under the same number for another', () => {
    expect(isAlive(process.pid, startOf(process.pid) - 1_000)).toBe('gone')
  })

  it('allows for the rounding of a clock tick', () => {
    const start = startOf(process.pid)
    expect(isAlive(process.pid, start - 15)).toBe('alive')
    expect(isAlive(process.pid, start + 15)).toBe('alive')
  })

  it('says nothing where the clock was set back', () => {
    expect(isAlive(process.pid, startOf(process.pid) + 5_000)).toBe('unknown')
  })

  it('never takes a number that is no process for a living one', () => {
    for (const pid of [0, -1, 1.5, Number.NaN, 2 ** 22 + 1]) expect(isAlive(pid, 0)).toBe('gone')
  })

  it('takes a zombie for gone', NEEDS_LINUX, async () => {
    // `exec` leaves the child with a parent that never asks after it.
    const parent = await startChild('sh', '-c', 'sleep 600 & echo $!; exec cat')
    const [line] = await once(parent.stdout as NodeJS.ReadableStream, 'data')
    const pid = Number(String(line))
    const start = startOf(pid)
    // Until then it is still the shell, which would.
    await expect
      .poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8').trim(), { ...PATIENTLY, interval: 5 })
      .toBe('cat')
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => isAlive(pid, start), { ...PATIENTLY, interval: 5 }).toBe('gone')
    expect(processStart(pid)).toBe(start)
  })
})

describe('isStaying', () => {
  it('knows a process that lives from one that has ended', async () => {
    const child = await startChild('cat')
    expect(isStaying(child.pid)).toBe(true)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(isStaying(child.pid)).toBe(false)
  })

  it('never takes a process for one that stays once the pipes that it held have closed because it was killed', async () => {
    // Memory that must be given back makes the time between long enough to be seen.
    const hold =
      'const all = Array.from({ length: 40 }, () => Buffer.alloc(1 << 22, 1)); console.log(all.length); process.stdin.resume()'
    const child = await startChild(process.execPath, '-e', hold)
    await once(child.stdout as NodeJS.ReadableStream, 'data')
    const closed = once(child.stdout as NodeJS.ReadableStream, 'end')
    child.stdout?.resume()
    child.kill('SIGKILL')
    await closed
    expect(isStaying(child.pid)).toBe(false)
  })
})

describe('ancestors', () => {
  it('begins with the parent and goes up to the first process', async () => {
    const child = await startChild('cat')
    const line = ancestors(child.pid)
    expect(line[0]).toEqual({ pid: process.pid, startedAt: processStart(process.pid) })
    expect(line[1]?.pid).toBe(process.ppid)
    expect(line.at(-1)?.pid).toBe(1)
  })

  it('is empty for no process', () => {
    expect(ancestors(2 ** 22 + 1)).toEqual([])
  })
})

describe('parsing', () => {
  it('reads a program name with spaces and parentheses', () => {
    const fields = ['S', '7', ...Array.from({ length: 17 }, () => '0'), '1234', '0', '0']
    const row = parseProcStat(`42 (a) b (c)) ${fields.join(' ')}`, 1_000_000)
    expect(row).toEqual({ parentPid: 7, startedAt: 1_012_340, isZombie: false })
  })

  it('reads what ps writes', () => {
    const row = parsePs('    1 Ss   Sun Nov 15 21:23:10 2026\n')
    expect(row).toEqual({ parentPid: 1, startedAt: new Date(2026, 10, 15, 21, 23, 10).getTime(), isZombie: false })
    expect(parsePs('')).toBeUndefined()
  })

  it('agrees with ps about this process', needsPrograms('ps'), () => {
    const line = execFileSync('ps', ['-o', 'ppid=,stat=,lstart=', '-p', String(process.pid)], { encoding: 'utf8' })
    const row = parsePs(line)
    expect(row?.parentPid).toBe(process.ppid)
    expect(Math.abs((row?.startedAt ?? 0) - startOf(process.pid))).toBeLessThanOrEqual(2_000)
  })
})
