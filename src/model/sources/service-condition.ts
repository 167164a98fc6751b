import { PosternError } from '../errors.ts'
import type { Json } from '../json.ts'
import { parseServiceName } from './service.ts'

/**
 * What a gate of the kind `service` waits for: an event of a service by its name, of which the payload has certain
 * values. Written `ci`, or `ci?status=success&build.branch=main`, where characters are escaped as in a URL.
 */
export interface ServiceCondition {
  readonly service: string
  readonly where: readonly Wanted[]
}

/** A path into the payload, such as `build.branch` or `jobs.0.name`, and what must be found there. */
export type Wanted = readonly [path: string, value: string]

export function parseServiceCondition(text: string): ServiceCondition {
  const [name = '', ...rest] = text.split('?')
  if (rest.length === 0) return { service: parseServiceName(name), where: [] }
  return { service: parseServiceName(name), where: rest.join('?').split('&').map(parseWanted) }
}

export function formatServiceCondition({ service, where }: ServiceCondition): string {
  const wanted = where.map((pair) => pair.map(encodeURIComponent).join('='))
  return wanted.length === 0 ? service : `${service}?${wanted.join('&')}`
}

/** Numbers, booleans and null count as JSON writes them. */
export function isMet({ where }: ServiceCondition, payload: Json): boolean {
  return where.every(([path, value]) => {
    const found = path.split('.').reduce<Json | undefined>(memberOf, payload)
    return found !== undefined && (found === null || typeof found !== 'object') && String(found) === value
  })
}

function parseWanted(text: string): Wanted {
  const at = text.indexOf('=')
  try {
    if (at > 0) return [decodeURIComponent(text.slice(0, at)), decodeURIComponent(text.slice(at + 1))]
  } catch {
    // It is refused below.
  }
  throw new PosternError('VALUE_INVALID', {
    field: 'condition',
    value: text,
    next: 'Write what the payload must hold as path=value, such as status=success.',
  })
}

/** Only what JSON would write: neither the length of a list nor what objects inherit. */
function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (!Object.prototype.propertyIsEnumerable.call(value, name)) return undefined
  return (value as Readonly<Record<string, Json>>)[name]
}
