import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { LIVE_FOLDER } from '../model/quiet.ts'
import { mayHoldEntries } from '../spool/look.ts'
import { spoolPath } from '../spool/path.ts'
import type { OpenedStore } from '../store/sqlite/peek.ts'
import { settleAtOnce } from '../store/sqlite/settle-peek.ts'
import { type Config, isPostgres } from './config.ts'

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
  const hasOwnRules = Object.keys(config.gates).length > 0 || config.hooks.length > 0
  if (isPostgres(config.store) || hasOwnRules || !isEmpty(shadows)) return false
  if (!settleAtOnce(config.store, { ...event, mayHoldEntries, spoolOf: spoolPath })) return false
  touch(join(dirname(config.store), LIVE_FOLDER), event.agent)
  return true
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

function touch(folder: string, agent: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, agent), '', { mode: 0o600 })
  } catch {
    // It only looks less lively then.
  }
}
