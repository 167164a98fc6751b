import { join } from 'node:path'
import { sha256 } from '../../kit/node/crypto.ts'

export const WATCH_FOLDER = 'watch'

/** The lock that says that a session is watched. Whatever the session is called, it lies in that folder. */
export function watchLock(home: string, sessionId: string): string {
  return join(home, WATCH_FOLDER, sha256(sessionId).slice(0, 32))
}
