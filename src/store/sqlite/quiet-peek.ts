import { realpathSync } from 'node:fs'
import { quietFolderOf } from './quiet.ts'
import { hasNothingWaiting } from './quiet-marks.ts'
import { type OpenedStore, openIfOurs } from './schema.ts'

export interface QuietPeek {
  readonly agent: string
  readonly sessionId: string
  /** Whether a spool may hold something, and where a session's spool lies. */
  readonly mayHoldEntries: (spool: string) => boolean
  readonly spoolOf: (project: string, sessionId: string) => string
  /** Is given the store where it stays open, because something waits. */
  readonly lend?: (opened: OpenedStore) => void
}

/**
 * Makes an agent's quiet file with as little as possible loaded. True only where nothing waits for the agent and the
 * session goes on as it is known, so that its event says nothing new. In any doubt it says false, and the hook goes
 * the whole way.
 */
export function markQuietAtOnce(path: string, { agent, sessionId, mayHoldEntries, spoolOf, lend }: QuietPeek): boolean {
  const opened = openIfOurs(path)
  const folder = opened && quietFolderOf(realpathSync.native(path))
  if (!opened || !folder) return false
  const { connection } = opened
  // Fails where somebody else writes: then there soon is something to look at.
  connection.exec('BEGIN IMMEDIATE')
  let isQuiet = false
  try {
    const isKnown = connection.get(KNOWN, [sessionId, agent]) !== undefined
    if (isKnown && hasNothingWaiting(connection, agent)) {
      const spools = connection.all(PROJECTS, [agent]).map(([project, id]) => spoolOf(project, id))
      isQuiet = !spools.some(mayHoldEntries) && folder.make(agent, spools)
    }
  } finally {
    connection.exec('ROLLBACK')
  }
  // It stays open until the process ends: closing the last one moves the log into the store, which waits for the disk
  // three times, and takes it away from the next one.
  if (!isQuiet) lend?.(opened)
  return isQuiet
}

const KNOWN =
  'SELECT 1 FROM sessions WHERE id = ?1 AND agent_id = ?2 AND ended_at IS NULL AND continuations = 0 AND project IS NOT NULL'

const PROJECTS =
  'SELECT project, id FROM sessions WHERE agent_id = ?1 AND ended_at IS NULL AND project IS NOT NULL ORDER BY id'
