/** As much of JSON Schema as our own documents use. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly pattern?: string
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly $ref?: string
}

/** What is wrong with a value, each fault with its place; empty where it is what the schema says. */
export function faultsOf(value: unknown, schema: Schema, place = '$'): string[] {
  if (schema.anyOf) {
    const fits = schema.anyOf.some((each) => faultsOf(value, each, place).length === 0)
    return fits ? [] : [`${place}: ${show(value)} is none of ${schema.anyOf.map(({ type }) => type).join(', ')}`]
  }
  if (schema.enum && !schema.enum.includes(value)) return [`${place}: ${show(value)} is not one of ${schema.enum}`]
  const types = schema.type === undefined ? [] : [schema.type].flat()
  const isOfSome = types.length === 0 || types.some((type) => isOfType(value, type))
  if (!isOfSome) return [`${place}: ${show(value)} is no ${types.join(' or ')}`]
  if (typeof value === 'string') return faultsOfText(value, schema, place)
  if (Array.isArray(value)) {
    return value.flatMap((member, at) => faultsOf(member, schema.items ?? {}, `${place}[${at}]`))
  }
  return typeof value === 'object' && value !== null ? faultsOfObject(value as Members, schema, place) : []
}

type Members = Readonly<Record<string, unknown>>

function faultsOfObject(value: Members, { properties, required = [], additionalProperties }: Schema, place: string) {
  const missing = required.filter((name) => !(name in value)).map((name) => `${place}.${name}: missing`)
  if (!properties) return missing
  const members = Object.entries(value).flatMap(([name, member]) => {
    const property = properties[name]
    if (property) return faultsOf(member, property, `${place}.${name}`)
    return additionalProperties === true ? [] : [`${place}.${name}: not declared`]
  })
  return [...missing, ...members]
}

function faultsOfText(value: string, { pattern, format }: Schema, place: string): string[] {
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value))
    return [`${place}: ${show(value)} is not ${pattern}`]
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)
  return format === 'date-time' && !isTime ? [`${place}: ${show(value)} is no time`] : []
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, 80)
}

/** A value that the schema allows: what it requires, and nothing else. */
export function sampleOf(schema: Schema): unknown {
  if (schema.anyOf) return sampleOf(schema.anyOf[0] ?? {})
  if (schema.enum) return schema.enum[0]
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, sampleOf(schema.properties?.[name] ?? {})]),
      )
    case 'array':
      return [sampleOf(schema.items ?? {})]
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1)
    case 'boolean':
      return true
    case 'string':
      return 'quinn'
    default:
      return { any: 'thing' }
  }
}
