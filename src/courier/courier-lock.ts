import { dirname, join } from 'node:path'
import { sha256 } from '../kit/node/crypto.ts'
import { makePrivateFolder } from '../kit/node/folders.ts'
import { type LockFile, readLockFile, takeLockFile } from '../kit/node/lock-file.ts'
import { PosternError } from '../model/errors.ts'

const FOLDER = 'courier'

export interface CourierPlace {
  readonly home: string
  /** The store or the server. */
  readonly store: string
  readonly agent: string
  readonly sessionId: string | undefined
}

/** Makes sure that no other courier of this home serves the same session. Two would only do the same work. */
export async function lockCourier({ home, store, agent, sessionId = '' }: CourierPlace): Promise<LockFile> {
  const path = join(home, FOLDER, `${agent}-${sha256(`${store}\n${sessionId}`).slice(0, 16)}`)
  makePrivateFolder(dirname(path))
  const lock = await takeLockFile(path)
  if (!lock)
    throw new PosternError('COURIER_RUNNING', { agent, pid: readLockFile(path).trim() || 'that has just begun' })
  lock.write(`${process.pid}\n`)
  return lock
}
