import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { nextTurn } from '../../kit/node/event-loop.ts'
import { codeOf } from '../../kit/node/file-trouble.ts'
import type { BusStatus } from '../../model/bus/bus.ts'
import type { BusPlace } from '../../model/bus/entry.ts'
import { isBusId, parsePlaceName, placeName } from '../../model/bus/place.ts'
import { PosternError } from '../../model/errors.ts'
import { lastEntryId } from './end.ts'
import { type Location, locate, type Places } from './places.ts'
import { onFile } from './trouble.ts'
import { Volumes } from './volumes.ts'

/** Every bus below the root, and those that lie elsewhere, by their names. One that cannot be used is left out. */
export async function listBuses(places: Places): Promise<BusStatus[]> {
  const found: BusStatus[] = []
  for (const place of placesIn(places)) {
    const status = statusOf(locate(places, place))
    if (status) found.push(status)
    await nextTurn()
  }
  return found
}

function placesIn({ root, files = {} }: Places): BusPlace[] {
  const top = resolve(root)
  const below = onFile(top, () => foldersIn(top)).flatMap((project_id): BusPlace[] => [
    { project_id },
    ...tasksIn(join(top, project_id)).map((task_id) => ({ project_id, task_id })),
  ])
  const names = new Set([...below.map(placeName), ...Object.keys(files)])
  return [...names].sort().map(parsePlaceName)
}

function tasksIn(folder: string): string[] {
  try {
    return foldersIn(folder)
  } catch {
    return []
  }
}

/** Links do not count: what they lead to is no part of the root. */
function foldersIn(folder: string): string[] {
  try {
    const inside = readdirSync(folder, { withFileTypes: true })
    return inside.filter((each) => each.isDirectory() && isBusId(each.name)).map(({ name }) => name)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

function statusOf(location: Location): BusStatus | undefined {
  let volumes: Volumes | undefined
  try {
    volumes = new Volumes(location)
    const files = volumes.all()
    const newest = files.at(-1)
    if (!newest) return undefined
    const bytes = files.reduce((sum, { size }) => sum + size, 0)
    const lastId = lastEntryId(volumes, location.place) ?? null
    return { ...location.place, bytes, lastId, changedAt: newest.changedAt }
  } catch (error) {
    if (error instanceof PosternError) return undefined
    throw error
  } finally {
    volumes?.close()
  }
}
