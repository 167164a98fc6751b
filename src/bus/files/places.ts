import { basename, dirname, join, resolve } from 'node:path'
import type { BusPlace } from '../../model/bus/entry.ts'
import { parsePlace, placeName } from '../../model/bus/place.ts'

/** Where a bus lies. */
export interface Location {
  readonly place: BusPlace
  /** Its folder, to which the paths of attachments are relative. */
  readonly folder: string
  readonly path: string
  /** Folders below the root that must be plain ones, from the top; none for a file that somebody named. */
  readonly owned: readonly string[]
}

export interface Places {
  readonly root: string
  /** Files that lie elsewhere, by `project` or `project/task`. */
  readonly files?: Readonly<Record<string, string>> | undefined
}

export const PROJECT_FILE = 'PROJECT-MESSAGE-BUS.md'
export const TASK_FILE = 'TASK-MESSAGE-BUS.md'

/** The location of a bus. Paths are made of ids that can name nothing but a file or a folder in its place. */
export function locate({ root, files }: Places, wanted: BusPlace): Location {
  const place = parsePlace(wanted)
  const named = files && Object.hasOwn(files, placeName(place)) ? files[placeName(place)] : undefined
  if (named !== undefined) return locationOfFile(place, resolve(named))
  const project = join(resolve(root), place.project_id)
  const folder = place.task_id === undefined ? project : join(project, place.task_id)
  const file = place.task_id === undefined ? PROJECT_FILE : TASK_FILE
  return { place, folder, path: join(folder, file), owned: folder === project ? [project] : [project, folder] }
}

function locationOfFile(place: BusPlace, path: string): Location {
  return { place, folder: dirname(path), path, owned: [] }
}

const ENDING = '.md'
const NUMBER_LENGTH = 4

/** The name of the nth archive of a file: `TASK-MESSAGE-BUS.0001.md`. */
export function archiveName(path: string, number: number): string {
  const { stem, ending } = partsOf(path)
  return `${stem}.${`${number}`.padStart(NUMBER_LENGTH, '0')}${ending}`
}

/** Which archive of a file has this name; undefined where it is none. */
export function archiveNumber(path: string, name: string): number | undefined {
  const { stem, ending } = partsOf(path)
  if (!name.startsWith(`${stem}.`) || !name.endsWith(ending)) return undefined
  const digits = name.slice(stem.length + 1, name.length - ending.length)
  return /^\d{4,9}$/.test(digits) && Number(digits) > 0 ? Number(digits) : undefined
}

function partsOf(path: string): { readonly stem: string; readonly ending: string } {
  const name = basename(path)
  return name.endsWith(ENDING) ? { stem: name.slice(0, -ENDING.length), ending: ENDING } : { stem: name, ending: '' }
}
