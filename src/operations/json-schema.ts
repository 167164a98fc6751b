import { z } from 'zod'
import type { Operation } from './operation.ts'

/** As much of JSON Schema as our declarations need. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly [keyword: string]: unknown
}

const inputs = new WeakMap<z.ZodType, JsonSchema>()

/** What an operation or a tool takes, as JSON Schema. Made on first use and kept. */
export function inputSchema({ input }: Pick<Operation, 'input'>): JsonSchema {
  const known = inputs.get(input)
  if (known) return known
  const made = toJsonSchema(input, 'input')
  inputs.set(input, made)
  return made
}

/** What an operation answers, as it leaves the server; undefined where it answers nothing. */
export function outputSchema({ output }: Operation): JsonSchema | undefined {
  return answersNothing({ output }) ? undefined : withTimes(toJsonSchema(output, 'output'))
}

export function answersNothing({ output }: Pick<Operation, 'output'>): boolean {
  return output.type === 'undefined'
}

export function toJsonSchema(type: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io, unrepresentable: 'any', reused: 'inline' })
  return schema as JsonSchema
}

/** The names by which `toWire` knows a time, and those of values that others made. */
const TIME = /(?:^at|At|Since)$/
const FOREIGN = new Set(['payload', 'context', 'data', 'details', 'meta', 'extra'])

/** Times are numbers inside and ISO 8601 outside. */
function withTimes(schema: JsonSchema): JsonSchema {
  const { properties, items, anyOf } = schema
  return {
    ...schema,
    ...(items && { items: withTimes(items) }),
    ...(anyOf && { anyOf: anyOf.map(withTimes) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, timed(name, property)]),
      ),
    }),
  }
}

function timed(name: string, property: JsonSchema): JsonSchema {
  if (FOREIGN.has(name)) return property
  return TIME.test(name) ? asDateTime(property) : withTimes(property)
}

function asDateTime(schema: JsonSchema): JsonSchema {
  const { type = [], minimum: _, maximum: __, items, anyOf, ...rest } = schema
  if (anyOf) return { ...rest, anyOf: anyOf.map(asDateTime) }
  if (items) return { ...rest, type, items: asDateTime(items) }
  const types = typesOf({ type })
  const isTime = types.includes('integer') || types.includes('number')
  const isNullable = types.includes('null')
  return isTime ? { ...rest, type: isNullable ? ['string', 'null'] : 'string', format: 'date-time' } : schema
}

/** The types that a schema names, however many. */
export function typesOf({ type }: Pick<JsonSchema, 'type'>): readonly string[] {
  return type === undefined ? [] : typeof type === 'string' ? [type] : type
}
