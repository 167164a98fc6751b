import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { LIVE_FOLDER } from '../model/quiet.ts'
import type { Store } from '../store/store.ts'

/** When a hook of the agent last left without asking the store, which it then only notes by touching a file. */
export function heardAt({ engine, location }: Store, agent: string): number | undefined {
  if (engine !== 'sqlite') return undefined
  try {
    const touched = statSync(join(dirname(location), LIVE_FOLDER, agent), { throwIfNoEntry: false })
    return touched && Math.floor(touched.mtimeMs)
  } catch {
    return undefined
  }
}

/** Notes that the agent is at work, where the store need not be asked. `folder` is the store's. */
export function noteHeard(folder: string, agent: string): void {
  const live = `${folder}/${LIVE_FOLDER}`
  try {
    if (!existsSync(live)) mkdirSync(live, { recursive: true, mode: 0o700 })
    closeSync(openSync(`${live}/${agent}`, 'w', 0o600))
  } catch {
    // It only looks less lively then.
  }
}
