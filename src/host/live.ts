import { statSync } from 'node:fs'
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
