import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { sleep } from '../../kit/clock/sleep.ts'
import { makePrivateFolder } from '../../kit/node/folders.ts'
import { type LockFile, takeLockFile } from '../../kit/node/lock-file.ts'
import { isBusId } from '../../model/bus/place.ts'
import { requirePlainFolders } from '../files/open-file.ts'
import type { Location } from '../files/places.ts'
import { onFile, troubleWith } from '../files/trouble.ts'

/**
 * A file for each run of a task that has not been brought to its end. Its runner holds the file's lock for as long as it
 * lives, however it dies; so a file whose lock is free tells of a run that nobody looks after.
 */
const RUNNING = '.running'

/** Nobody but those who look for lost runs wants this lock, and never for long. */
const RETRY_MS = 5

export async function markRunning(taskFolder: string, runId: string): Promise<LockFile> {
  const folder = join(taskFolder, RUNNING)
  requirePlainFolders([folder])
  onFile(taskFolder, () => makePrivateFolder(folder))
  for (;;) {
    try {
      const lock = await takeMark(taskFolder, runId)
      if (lock) return lock
    } catch (error) {
      throw troubleWith(folder, error)
    }
    await sleep(RETRY_MS)
  }
}

/** Undefined where its runner lives, or somebody else is about to bring it to its end. */
export function takeMark(taskFolder: string, runId: string): Promise<LockFile | undefined> {
  return takeLockFile(join(taskFolder, RUNNING, runId))
}

/** Marks are taken away in the end; so what a link leads to, as in a cloned repository, is never taken for them. */
export function markedRuns({ folder, owned }: Location): readonly string[] {
  const marks = join(folder, RUNNING)
  requirePlainFolders([...owned, marks])
  try {
    return readdirSync(marks).filter(isBusId).sort()
  } catch {
    return []
  }
}
