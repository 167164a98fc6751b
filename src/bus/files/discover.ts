import { lstatSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { BusPlace } from '../../model/bus/entry.ts'
import { isBusId } from '../../model/bus/place.ts'
import { PROJECT_FILE, TASK_FILE } from './places.ts'

/** A bus that lies in a folder or above it. */
export interface DiscoveredBus {
  readonly place: BusPlace
  readonly path: string
}

/** The name that does not tell whose it is; it then belongs to a project that is called like its folder. */
const PLAIN_FILE = 'MESSAGE-BUS.md'

/**
 * The nearest bus, from a folder upwards; in one folder that of a task comes before that of a project. Folders whose
 * names cannot be ids have none. Only plain files of our own count: a link in a cloned repository must not lead anywhere,
 * nor may another user of the machine hold out a bus in a folder that all can write to.
 */
export function discoverBus(folder: string): DiscoveredBus | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const found = busIn(at)
    if (found) return found
    if (dirname(at) === at) return undefined
  }
}

function busIn(folder: string): DiscoveredBus | undefined {
  const name = basename(folder)
  const above = basename(dirname(folder))
  if (!isBusId(name)) return undefined
  if (isBusId(above) && isOwnFile(join(folder, TASK_FILE))) {
    return { place: { project_id: above, task_id: name }, path: join(folder, TASK_FILE) }
  }
  const file = [PROJECT_FILE, PLAIN_FILE].find((each) => isOwnFile(join(folder, each)))
  return file === undefined ? undefined : { place: { project_id: name }, path: join(folder, file) }
}

function isOwnFile(path: string): boolean {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    return stat?.isFile() === true && stat.uid === (process.getuid?.() ?? stat.uid)
  } catch {
    // What may not be looked at is not ours to write to.
    return false
  }
}
