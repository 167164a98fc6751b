import { PosternError } from '../../model/errors.ts'
import { type Restored, restoreFrom } from '../../store/sqlite/restore.ts'
import { type Config, isPostgres } from '../config/config.ts'
import { restoreShadows } from '../shadow-copies.ts'

/** Puts a backup in the place of the embedded store that a configuration names. */
export function restoreStore(config: Config, backup: string, now: number): Restored {
  if (isPostgres(config.store)) {
    throw new PosternError('RESTORE_FAILED', {
      path: backup,
      reason: 'the store is on a PostgreSQL server',
      next: 'Restore its dump into an empty database with "pg_restore".',
    })
  }
  const restored = restoreFrom(backup, config.store, now)
  // Without a store to replace, the home may have lost its shadow files too.
  if (restored.replaced === null) restoreShadows(config.home)
  return restored
}
