import { readdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { mayHoldEntries } from '../../spool/may-hold.ts'
import { spoolPath } from '../../spool/path.ts'
import { isSurelyQuiet } from '../../store/sqlite/peek.ts'
import { markQuietAtOnce } from '../../store/sqlite/quiet-peek.ts'
import type { OpenedStore } from '../../store/sqlite/schema.ts'
import { type Config, isPostgres } from '../config/config.ts'
import { noteHeard } from '../last-heard.ts'

/** True if certainly nothing waits for an agent; false if that cannot be known quickly. */
export function isQuiet({ store, url }: Config, agent: string, now: number): boolean {
  return url === null && !isPostgres(store) && isSurelyQuiet(store, agent, now)
}

export interface PeekedEvent {
  readonly agent: string
  readonly sessionId: string
  /** Where sessions write down what they know of their gates: while one has, hooks look for themselves. */
  readonly shadows: string
  /** Is given the store where it was opened and more is to be done with it. */
  readonly lend?: (opened: OpenedStore) => void
}

/**
 * True where an event that could only deliver has nothing to deliver: its agent is quiet from now on. What the launcher
 * does while that lasts is done here too: the agent was heard of. False where it cannot be said quickly.
 */
export function isHookIdle(config: Config, { shadows, ...event }: PeekedEvent): boolean {
  const hasOwnRules = config.written.keys('gates').length > 0 || config.written.list('hooks').length > 0
  if (isPostgres(config.store) || hasOwnRules || !isEmpty(shadows)) return false
  if (!markQuietAtOnce(config.store, { ...event, mayHoldEntries, spoolOf: spoolPath })) return false
  noteHeard(dirname(config.store), event.agent)
  return true
}

/** Mostly it is not there at all, and to look costs far less than to fail. */
function isEmpty(folder: string): boolean {
  try {
    return statSync(folder, { throwIfNoEntry: false }) === undefined || readdirSync(folder).length === 0
  } catch {
    return false
  }
}
