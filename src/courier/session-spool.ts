import { existsSync, statSync } from 'node:fs'
import { appendEntries } from '../spool/append.ts'
import type { SpoolEntry } from '../spool/entry.ts'
import { heldIds } from '../spool/held.ts'
import { createRecentNames } from './recent-names.ts'

/** The spool of one session, into which a courier puts each entry once. */
export interface SessionSpool {
  readonly path: string
  /** True if an entry with this id was put there, whether or not a hook has taken it since. */
  holds(id: string): Promise<boolean>
  /**
   * Appends the entries that were not put there before, and resolves once they are on disk. False if there is no room
   * for them. Throws SpoolError.
   */
  put(entries: readonly SpoolEntry[]): Promise<boolean>
  /** True, once, if somebody has deleted the file after entries were put there. */
  noticeDeletion(): boolean
}

/** A hook reads no more than this while the store is down, so more would be of no use. */
const MAX_SPOOL_BYTES = 16 * 1024 * 1024
const MAX_REMEMBERED = 20_000
const PATIENCE_MS = 1_000

/**
 * Opens a spool. Its entries are read first, so that a restarted courier adds nothing twice. If the file is deleted,
 * its entries are lost and have to be put there again.
 */
export function openSessionSpool(path: string): SessionSpool {
  const known = createRecentNames(MAX_REMEMBERED)
  let isRead = false
  let wasDeleted = false

  function checkFile(): void {
    if (!isRead || existsSync(path)) return
    isRead = false
    wasDeleted ||= known.size > 0
    known.clear()
  }

  async function read(): Promise<void> {
    checkFile()
    if (isRead) return
    for (const id of await heldIds({ path, patienceMs: PATIENCE_MS, maxBytes: MAX_SPOOL_BYTES })) known.add(id)
    isRead = true
  }

  return {
    path,
    noticeDeletion() {
      checkFile()
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

/** The size of a file; 0 if it, or a folder above it, does not exist. */
function sizeOf(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size ?? 0
  } catch {
    return 0
  }
}
