import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { LIVE_FOLDER } from '../model/quiet.ts'
import type { Store } from '../store/store.ts'

/** When a hook of the agent last ended without opening the store. Such a hook only touches a file. */
export function lastHeardAt({ engine, location }: Store, agent: string): number | undefined {
  if (engine !== 'sqlite') return undefined
  try {
    const touched = statSync(join(dirname(location), LIVE_FOLDER, agent), { throwIfNoEntry: false })
    return touched && Math.floor(touched.mtimeMs)
  } catch {
    return undefined
  }
}

/** Records that the agent is at work without opening the store. `folder` is the folder of the store. */
export function noteHeard(folder: string, agent: string): void {
  const live = `${folder}/${LIVE_FOLDER}`
  try {
    if (!existsSync(live)) mkdirSync(live, { recursive: true, mode: 0o700 })
    closeSync(openSync(`${live}/${agent}`, 'w', 0o600))
  } catch {
    // The agent only seems to have been silent for longer.
  }
}
