import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { lazy } from '../../kit/pure/lazy.ts'
import { BOOT_ID_FILE, QUIET_FOLDER } from '../../model/quiet.ts'
import { mayHoldEntries } from '../../spool/may-hold.ts'
import { type Config, isPostgres, STORE_FILE } from '../config/config.ts'
import { HOME_FILE } from '../config/config-file.ts'
import { TRUST_FILE } from '../config/trust.ts'
import { noteHeard } from '../last-heard.ts'

/**
 * Sees what the launcher of the hooks sees, from within a server: whether certainly nothing waits for an agent, and no
 * setting could say otherwise. In any doubt it says no.
 */
export interface QuietLook {
  isQuiet(agent: string): boolean
  /** Where an event was answered by such a look alone, its agent was heard of all the same. */
  noteHeard(agent: string): void
}

export function createQuietLook({ home, store }: Pick<Config, 'home' | 'store'>): QuietLook {
  const [trusted, settings] = [join(home, TRUST_FILE), join(home, HOME_FILE)]
  const folder = lazy(() => dirname(realpathSync(store)))
  // It stays the same for as long as this process lives.
  const bootId = lazy(() => readFileSync(BOOT_ID_FILE, 'latin1').trim())
  // Several stores may lie in one folder: the files speak of the home's own.
  const hasFiles = !isPostgres(store) && basename(store) === STORE_FILE
  return {
    isQuiet(agent) {
      if (!hasFiles || existsSync(trusted)) return false
      try {
        const quiet = join(folder(), QUIET_FOLDER, agent)
        const [boot, ...spools] = readFileSync(quiet, 'utf8').trimEnd().split('\n')
        if (boot === '' || boot !== bootId() || spools.some(mayHoldEntries)) return false
        const changedAt = statSync(settings, { throwIfNoEntry: false })?.mtimeMs
        return changedAt === undefined || statSync(quiet).mtimeMs > changedAt
      } catch {
        return false
      }
    },
    noteHeard: (agent) => noteHeard(folder(), agent),
  }
}
