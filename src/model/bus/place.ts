import { PosternError } from '../errors.ts'
import type { BusPlace } from './entry.ts'

/** Ids become names of files and folders, so they can name nothing but what lies in its place. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

export function isBusId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value) && !value.includes('..')
}

export function parseBusId(field: string, value: unknown): string {
  if (isBusId(value)) return value
  throw new PosternError('BUS_ID_INVALID', { field, id: value })
}

/** Nothing but the two ids, whatever else came with them. */
export function parsePlace({ project_id, task_id }: BusPlace): BusPlace {
  const project = parseBusId('project_id', project_id)
  return task_id === undefined
    ? { project_id: project }
    : { project_id: project, task_id: parseBusId('task_id', task_id) }
}

/** How a bus is called: `project`, or `project/task`. */
export function placeName({ project_id, task_id }: BusPlace): string {
  return task_id === undefined ? project_id : `${project_id}/${task_id}`
}

export function parsePlaceName(name: string): BusPlace {
  const [project_id = '', ...rest] = name.split('/')
  return parsePlace(rest.length === 0 ? { project_id } : { project_id, task_id: rest.join('/') })
}
