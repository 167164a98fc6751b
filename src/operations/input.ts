import type { z } from 'zod'
import { PosternError } from '../model/errors.ts'
import { inputSchema, type JsonSchema, typesOf } from './json-schema.ts'
import type { Operation } from './operation.ts'

type Input = Readonly<Record<string, unknown>>

/**
 * Checks that what somebody sends has the form that the operation declares, and names the field that has not. What
 * has the form but not a sensible value is left to the heart, which refuses it in the same words at every door.
 */
export function parseInput(declared: Pick<Operation, 'input'>, input: Input): Input {
  const unknown = findUnknown(input, inputSchema(declared), '')
  if (unknown !== undefined) throw invalid(`there is no field "${unknown}"`)
  const { error } = declared.input.safeParse(input)
  for (const issue of error?.issues ?? []) refuseForm(issue, input)
  return input
}

/** Whether an operation cannot do without a field. */
export function isRequired(operation: Operation, field: string): boolean {
  return inputSchema(operation).required?.includes(field) ?? false
}

/** The input that a query string stands for: numbers and switches by the declaration, lists by commas or repetition. */
export function readQuery(operation: Operation, query: URLSearchParams): Input {
  const { properties = {} } = inputSchema(operation)
  const names = [...new Set(query.keys())]
  return Object.fromEntries(names.map((name) => [name, readValues(properties[name], query.getAll(name))]))
}

function readValues(schema: JsonSchema = {}, texts: readonly string[]): unknown {
  if (typesOf(schema).includes('array')) {
    const members = texts.flatMap((text) => text.split(','))
    return members.map((text) => readValue(schema.items, text))
  }
  return texts.length === 1 ? readValue(schema, texts[0] ?? '') : texts
}

/** What does not read as its type stays text, and is then refused as such. */
function readValue(schema: JsonSchema = {}, text: string): unknown {
  const types = typesOf(schema)
  if (types.includes('boolean')) return text === 'true' ? true : text === 'false' ? false : text
  const isNumber = types.includes('integer') || types.includes('number')
  return isNumber && /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text
}

/** The first field that the declaration does not name, by its path. */
function findUnknown(value: unknown, schema: JsonSchema, path: string): string | undefined {
  const { properties, items, anyOf } = schema
  if (anyOf) return anyOf.map((each) => findUnknown(value, each, path)).find((found) => found !== undefined)
  if (Array.isArray(value)) {
    if (!items) return undefined
    return first(value, (member, at) => findUnknown(member, items, `${path}[${at}]`))
  }
  if (!properties || typeof value !== 'object' || value === null) return undefined
  return first(Object.entries(value), ([key, member]) => {
    const place = path === '' ? key : `${path}.${key}`
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined
    return property ? findUnknown(member, property, place) : place
  })
}

function first<T, R>(values: readonly T[], find: (value: T, at: number) => R | undefined): R | undefined {
  for (const [at, value] of values.entries()) {
    const found = find(value, at)
    if (found !== undefined) return found
  }
  return undefined
}

function refuseForm(issue: z.core.$ZodIssue, input: Input): void {
  const field = formatPath(issue.path)
  const value = valueAt(input, issue.path)
  if (issue.code === 'invalid_value') {
    const next = `Use one of ${issue.values.map(String).join(', ')}.`
    throw new PosternError('VALUE_INVALID', { field, value, next })
  }
  // A number that is not whole is still a number.
  const isForm = issue.code === 'invalid_type' && !(issue.expected === 'int' && typeof value === 'number')
  const isUnion = issue.code === 'invalid_union'
  if (!isForm && !isUnion) return
  if (value === undefined) throw invalid(`the field "${field}" is missing`)
  throw invalid(
    isUnion ? `the field "${field}" has another form` : `the field "${field}" is not ${kindOf(issue.expected)}`,
  )
}

function kindOf(expected: string): string {
  if (expected === 'array') return 'a list'
  if (expected === 'string') return 'text'
  return expected === 'object' ? 'an object' : `a ${expected}`
}

function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}${text === '' ? '' : '.'}${String(part)}`),
    '',
  )
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], input)
}

function invalid(reason: string): PosternError {
  return new PosternError('INPUT_INVALID', { reason })
}
