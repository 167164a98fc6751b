import { closeSync, constants, openSync, readFileSync, realpathSync, writeSync } from 'node:fs'
import type { Connection } from './connection.ts'

const DIGITS = 15

/**
 * The number of the last event that was acknowledged, in a small file beside the store. SQLite reads its log up to the
 * first damaged frame and silently drops the rest. A store that holds fewer events than this number has lost some.
 *
 * The number is written after the commit, without waiting for the disk. It outlives every process. After loss of power it
 * may be an older number, which only makes the check weaker. It is never ahead of the disk: it counts only commits that
 * have waited for it.
 */
export class LogEnd {
  readonly #store: string
  #file: number | undefined

  constructor(store: string) {
    this.#store = store
  }

  /** Failing to write is no reason to fail what is committed. */
  write(event: number): void {
    try {
      this.#file ??= openSync(pathOf(this.#store), constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
      writeSync(this.#file, `${String(event).padStart(DIGITS, '0')}\n`, 0, 'latin1')
    } catch {
      // The check is weaker until the next commit.
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }
}

/** Undefined if there is no such file, or it holds no number. */
export function readLogEnd(store: string): number | undefined {
  try {
    const text = readFileSync(pathOf(store), 'latin1')
    return /^\d{15}\n$/.test(text) ? Number(text) : undefined
  } catch {
    return undefined
  }
}

/** As SQLite does, whoever opens the store by another name keeps the same files beside it. */
function pathOf(store: string): string {
  return `${realpathSync.native(store)}-end`
}

export function lastEvent(connection: Connection): number {
  return connection.get('SELECT max(seq) FROM events')?.[0] ?? 0
}

/**
 * False if events are missing that were acknowledged, or if nobody knows because the file is missing: then the store may
 * be another one than before. The file is read first, because a writer writes it last.
 */
export function isAccountedFor(connection: Connection): boolean {
  const expected = readLogEnd(connection.path)
  const last = lastEvent(connection)
  return expected === undefined ? last === 0 : last >= expected
}
