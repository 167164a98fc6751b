import { dirname } from 'node:path'
import { mayHoldEntries } from '../../spool/may-hold.ts'
import { spoolPath } from '../../spool/path.ts'
import { isSurelyQuiet } from '../../store/sqlite/peek.ts'
import { hasShadow } from '../../store/sqlite/quiet.ts'
import { markQuietAtOnce } from '../../store/sqlite/quiet-peek.ts'
import type { OpenedStore } from '../../store/sqlite/schema.ts'
import { type Config, isPostgres } from '../config/config.ts'
import { noteHeard } from '../last-heard.ts'

/** True if nothing waits for an agent. False if something does, or if finding out would take long. */
export function isQuiet({ store, url }: Config, agent: string, now: number): boolean {
  return url === null && !isPostgres(store) && isSurelyQuiet(store, agent, now)
}

export interface PeekedEvent {
  readonly agent: string
  readonly sessionId: string
  /** Is given the opened store if the hook is not idle, so that it need not be opened twice. */
  readonly lend?: (opened: OpenedStore) => void
}

/**
 * True if a hook whose event can only deliver has nothing to deliver. Then the agent is marked as quiet, and its
 * last-heard file is touched, as the launcher does for a quiet agent. False if something waits, or if finding out would
 * take long.
 */
export function isHookIdle(config: Config, event: PeekedEvent): boolean {
  const hasOwnRules = config.written.keys('gates').length > 0 || config.written.list('hooks').length > 0
  // The store looks for shadows in its own folder, which need not be the home.
  if (isPostgres(config.store) || hasOwnRules || hasShadow(config.home, event.agent)) return false
  if (!markQuietAtOnce(config.store, { ...event, mayHoldEntries, spoolOf: spoolPath })) return false
  noteHeard(dirname(config.store), event.agent)
  return true
}
