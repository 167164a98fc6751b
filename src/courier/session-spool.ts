import { existsSync, statSync } from 'node:fs'
import { appendEntries } from '../spool/append.ts'
import type { SpoolEntry } from '../spool/entry.ts'
import { heldIds } from '../spool/held.ts'
import { createRecentNames } from './recent-names.ts'

/** The spool of one session, into which a courier puts each entry once. */
export interface SessionSpool {
  readonly path: string
  /** True where an entry of this id was put there, whether or not it has been taken since. */
  holds(id: string): Promise<boolean>
  /**
   * Resolves once the entries are on the disk, without those that were put there before; false where there is no room
   * for them. Throws SpoolError.
   */
  put(entries: readonly SpoolEntry[]): Promise<boolean>
  /** True, once, where somebody has deleted the file with all that was put there. */
  noticeDeletion(): boolean
}

/** As much as is read while the store is away: what lies beyond that would help nobody. */
const MAX_SPOOL_BYTES = 16 * 1024 * 1024
const MAX_REMEMBERED = 20_000
const PATIENCE_MS = 1_000

/**
 * What stands in the spool is read at first, so that a courier that was killed adds nothing twice. Whoever deletes the
 * file has deleted what was in it: then all of that is put there again.
 */
export function openSessionSpool(path: string): SessionSpool {
  const known = createRecentNames(MAX_REMEMBERED)
  let isRead = false
  let wasDeleted = false

  function look(): void {
    if (!isRead || existsSync(path)) return
    isRead = false
    wasDeleted ||= known.size > 0
    known.clear()
  }

  async function read(): Promise<void> {
    look()
    if (isRead) return
    for (const id of await heldIds({ path, patienceMs: PATIENCE_MS, maxBytes: MAX_SPOOL_BYTES })) known.add(id)
    isRead = true
  }

  return {
    path,
    noticeDeletion() {
      look()
      const isNews = wasDeleted
      wasDeleted = false
      return isNews
    },
    async holds(id) {
      await read()
      return known.has(id)
    },
    async put(entries) {
      await read()
      const fresh = entries.filter(({ id }) => id === undefined || !known.has(id))
      if (fresh.length === 0) return true
      if (sizeOf(path) >= MAX_SPOOL_BYTES) return false
      await appendEntries({ path, entries: fresh, patienceMs: PATIENCE_MS, isDurable: true })
      for (const { id } of fresh) if (id !== undefined) known.add(id)
      return true
    },
  }
}

/** Nothing can be there where a folder above it is none. */
function sizeOf(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size ?? 0
  } catch {
    return 0
  }
}
