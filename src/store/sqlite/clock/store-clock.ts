import { readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { monotonicMs } from '../../../kit/node/monotonic.ts'
import { BOOT_ID_FILE } from '../../../model/quiet.ts'
import { type ClockRecord, followClock, judgeClock, type Sighting, timeBefore } from './judge-clock.ts'

/** Where a store's clock gets its times from, and what processes remember of them together. */
export interface ClockSources {
  wallMs(): number
  /** Milliseconds of this process that never go back. They need not count the time that the machine slept. */
  monotonicMs(): number
  /** The start of the machine and the time since; undefined if nobody can say. */
  uptime(): Omit<Sighting, 'wallMs'> | undefined
  /** False if a container shows an uptime of its own, which says nothing to other processes of the same boot. */
  isOfMachine(uptimeMs: number): boolean
  read(): ClockRecord | undefined
  /** False if it cannot be written. */
  write(record: ClockRecord): boolean
}

const LOOK_EVERY_MS = 60_000
/** A larger gap between wall clock and monotonic clock means that the clock was changed or the machine slept. */
const APART_MS = 500

/**
 * The clock of an embedded store: the machine's, but a step of that changes nothing until it has lasted. A step is a
 * change that the time for which the machine has been running does not explain.
 */
export class StoreClock {
  readonly #sources: ClockSources
  #record: ClockRecord | undefined
  #correctionMs = 0
  #isLasting = false
  #lookedAtMs = 0
  #apartMs = Number.NaN

  constructor(sources: ClockSources) {
    this.#sources = sources
  }

  now(): number {
    const [wallMs, monotonic] = [this.#sources.wallMs(), this.#sources.monotonicMs()]
    const isCalm =
      Math.abs(wallMs - monotonic - this.#apartMs) <= APART_MS && monotonic - this.#lookedAtMs <= LOOK_EVERY_MS
    // While there is a step, another process may decide to follow it at any time.
    if (!isCalm || this.#correctionMs !== 0) {
      this.#lookedAtMs = monotonic
      this.#apartMs = wallMs - monotonic
      this.#look(wallMs)
    }
    return wallMs + this.#correctionMs
  }

  /** The time `ms` ago, not counting jumps that the store's clock has made since. */
  ago(ms: number): number {
    return timeBefore(this.now(), ms, this.#record?.gaps ?? [])
  }

  /** By how much a step that has lasted has changed the wall clock; otherwise 0. The store should follow it. */
  get lastingStepMs(): number {
    return this.#isLasting ? -this.#correctionMs : 0
  }

  /** What is known of the clock; undefined if nobody can say how long the machine has been running. */
  get record(): ClockRecord | undefined {
    this.now()
    return this.#record
  }

  /** Whether other processes will know of what this one decides. */
  isWritable(): boolean {
    return this.record !== undefined && this.#sources.write(this.record)
  }

  /** From now on the store goes by the wall clock. False if there is no step that has lasted. */
  follow(): boolean {
    const [wallMs, uptime] = [this.#sources.wallMs(), this.#sources.uptime()]
    if (!this.#record || !uptime || !this.#isLasting) return false
    this.#sources.write(followClock(this.#record, { ...uptime, wallMs }))
    this.#look(wallMs)
    return true
  }

  #look(wallMs: number): void {
    // First, so that no other process can have written it after our look at the uptime.
    const known = this.#sources.read() ?? this.#record
    const uptime = this.#sources.uptime()
    const verdict = uptime && judgeClock(known, { ...uptime, wallMs })
    const isNews = verdict !== undefined && (verdict.record !== known || verdict.correctionMs !== 0)
    const isIdle = !verdict || (isNews && !this.#sources.isOfMachine(uptime.uptimeMs))
    this.#record = isIdle ? undefined : verdict.record
    this.#correctionMs = isIdle ? 0 : verdict.correctionMs
    this.#isLasting = !isIdle && verdict.isLasting
    if (this.#record && this.#record !== known) this.#sources.write(this.#record)
  }
}

const UPTIME_FILE = '/proc/uptime'

/**
 * The clock of this machine, with a small file beside the store. The uptime is read from the kernel's file, because a
 * program that runs with another clock is often told another uptime too.
 */
export function createStoreClock(store: string): StoreClock {
  const path = () => `${realpathSync.native(store)}-clock`
  return new StoreClock({
    wallMs: () => Date.now(),
    monotonicMs,
    uptime: () =>
      attempt(() => {
        const uptimeMs = Math.round(Number.parseFloat(read(UPTIME_FILE)) * 1000)
        return Number.isFinite(uptimeMs) ? { boot: read(BOOT_ID_FILE).trim(), uptimeMs } : undefined
      }),
    isOfMachine: (uptimeMs) => attempt(() => startOfProcessMs() <= uptimeMs) ?? false,
    read: () => attempt(() => parseRecord(read(path()))),
    write: (record) =>
      attempt(() => {
        const partial = `${path()}-${process.pid}`
        writeFileSync(partial, `${JSON.stringify(record)}\n`, { mode: 0o600 })
        renameSync(partial, path())
        return true
      }) ?? false,
  })
}

/** When this process began, which the kernel counts in hundredths of a second since the start of the machine. */
function startOfProcessMs(): number {
  const stat = read('/proc/self/stat')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]) * 10
}

function parseRecord(text: string): ClockRecord | undefined {
  const record: ClockRecord = JSON.parse(text)
  return Number.isFinite(record.wallMs + record.uptimeMs) && Array.isArray(record.gaps) ? record : undefined
}

function read(path: string): string {
  return readFileSync(path, 'latin1')
}

function attempt<T>(call: () => T): T | undefined {
  try {
    return call()
  } catch {
    return undefined
  }
}
