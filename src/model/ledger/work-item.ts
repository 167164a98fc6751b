import { PosternError } from '../errors.ts'

/** What has a topic of its own on which notes are posted, in the words of seed 003. */
export const ENTITY_TYPES = ['task', 'phase', 'stage', 'project'] as const
export type EntityType = (typeof ENTITY_TYPES)[number]

/** What a message may be about. */
export const REF_TYPES = [...ENTITY_TYPES, 'agent'] as const
export type RefType = (typeof REF_TYPES)[number]

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** Such as `task:PROJ-12`. */
export interface WorkItem {
  readonly type: EntityType
  readonly name: string
}

export function parseWorkItem(value: string): WorkItem {
  const [type = '', name = '', ...more] = value.split(':')
  if (more.length === 0 && isEntityType(type) && NAME.test(name)) return { type, name }
  throw new PosternError('ENTITY_INVALID', { value })
}

export function isEntityType(value: unknown): value is EntityType {
  return ENTITY_TYPES.includes(value as EntityType)
}

export function formatWorkItem({ type, name }: WorkItem): string {
  return `${type}:${name}`
}
