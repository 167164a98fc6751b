import fc from 'fast-check'
import { errorTable } from '../../../src/model/errors.ts'
import { describeTool } from '../../../src/operations/tools/described.ts'
import type { Tool } from '../../../src/operations/tools/tool.ts'
import { ATTACKS, findTextBreaches } from '../../helpers/attacks.ts'
import { faultsOf, type Schema } from '../../helpers/json-schema.ts'
import type { RpcAnswer } from '../../helpers/mcp/raw-client.ts'

/** Stand in a value for what JSON can say and JavaScript cannot write: they are put in as text. */
const [ENDLESS, DEEP, DEEPER] = ['@@endless@@', '@@deep@@', '@@deeper@@']

const SHALLOW = 50
const DEPTH = 3_000

/** The line's text of a value, with what only JSON can say. */
export function toJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll(`"${ENDLESS}"`, '1e999')
    .replaceAll(`"${DEEP}"`, `${'[{"a":'.repeat(SHALLOW)}1${'}]'.repeat(SHALLOW)}`)
    .replaceAll(`"${DEEPER}"`, `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`)
}

const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'a\udfffb',
  '__proto__',
  'constructor',
  'toString',
  '../../../etc/passwd',
  '/dev/null',
  '%00',
  'null',
  'NaN',
  '-1',
  "'; DROP TABLE messages; --",
  '%s%n',
  '${7*7}',
  '\\u0000',
  'ALL',
  'all',
  'system',
  'local',
  '2026-13-45T99:99:99Z',
  '* * * * * *',
  '99999999 years',
  'x'.repeat(20_000),
  '🦔'.repeat(3_000),
]

const NUMBERS: readonly unknown[] = [
  0,
  -1,
  1,
  2,
  3,
  5,
  20,
  1.5,
  -0.1,
  2 ** 31,
  2 ** 53,
  -(2 ** 53),
  Number.MAX_VALUE,
  Number.MIN_VALUE,
  ENDLESS,
]

const ODD: readonly unknown[] = [null, true, false, [], {}, [[]], [null], { id: 'x' }, '', 'x', DEEP, ...NUMBERS]

const NAMES: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toJSON',
  'then',
  'agent',
  'as',
  'from',
  'caller',
  'via',
  'verified',
  '_meta',
  'isError',
  'signal',
  '',
  'a\0b',
]

/** Waiting is tried elsewhere: here nobody waits. */
const HASTY: readonly unknown[] = [0, -1, 0.5, ENDLESS, '5', null, []]

const attack = fc.constantFrom(...ATTACKS.map(({ text }) => text).filter((text) => text.length < 20_000))
const odd = fc.oneof(
  fc.constantFrom(...ODD),
  fc.json({ maxDepth: 3 }).map((text): unknown => JSON.parse(text)),
)

/** Things that there are, by which a call gets further than its input. */
export interface Known {
  readonly ids: readonly string[]
  /** For each tool an input that it takes. */
  readonly inputs: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** What may stand in an input, by the tool's own schema: of all kinds at once, or fit but for one field. */
export function inputsOf(tool: Tool, { ids, inputs }: Known): fc.Arbitrary<unknown> {
  const schema = describeTool(tool).inputSchema as Schema
  const mixed = objectOf(schema, ids)
  const fit = inputs[tool.name] ?? {}
  const fields = Object.entries(schema.properties ?? {}).map(([name, each]) =>
    valuesOf(each, name, ids).map((value) => withField(fit, name, value)),
  )
  const strange = fc.tuple(fc.constantFrom(fit), fc.constantFrom(...NAMES), odd)
  return fc.oneof(
    { weight: 6, arbitrary: fields.length > 0 ? fc.oneof(...fields) : fc.constant({}) },
    { weight: 4, arbitrary: mixed },
    { weight: 2, arbitrary: strange.map(([input, name, value]) => withField(input, name, value)) },
    { weight: 1, arbitrary: fc.constantFrom(...ODD) },
    { weight: 1, arbitrary: fc.constant(fit) },
  )
}

/** A field as its own, whatever its name. */
function withField(input: unknown, name: string, value: unknown): unknown {
  const entries = typeof input === 'object' && input !== null ? Object.entries(input) : []
  return Object.fromEntries([...entries, [name, value]])
}

function valuesOf(schema: Schema, name: string, ids: readonly string[]): fc.Arbitrary<unknown> {
  if (name === 'waitSeconds') return fc.constantFrom(...HASTY)
  return fc.oneof({ weight: 8, arbitrary: fitValuesOf(schema, name, ids) }, { weight: 1, arbitrary: odd })
}

function fitValuesOf(schema: Schema, name: string, ids: readonly string[]): fc.Arbitrary<unknown> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => valuesOf(each, name, ids)))
  if (schema.enum) return fc.constantFrom(...schema.enum)
  switch ([schema.type].flat()[0]) {
    case 'object':
      return objectOf(schema, ids)
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}, name, ids), { maxLength: 4 })
    case 'integer':
    case 'number':
      return fc.constantFrom(...NUMBERS)
    case 'boolean':
      return fc.boolean()
    case 'string':
      return textsOf(ids)
    default:
      return fc.oneof(attack, fc.constantFrom(DEEP, DEEPER, ...ODD), fc.dictionary(attack, attack, { maxKeys: 3 }))
  }
}

function objectOf({ properties = {}, required = [] }: Schema, ids: readonly string[]): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const value = valuesOf(schema, name, ids).map((each) => [[name, each]])
    // What is required is seldom left out, or nothing would get further than that.
    return fc.oneof(
      { weight: required.includes(name) ? 20 : 1, arbitrary: value },
      { weight: 1, arbitrary: fc.constant([]) },
    )
  })
  return fc.tuple(...fields).map((pairs) => Object.fromEntries(pairs.flat() as [string, unknown][]))
}

function textsOf(ids: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...ids) },
    { weight: 2, arbitrary: attack },
    { weight: 2, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  )
}

/** -32602: the parameters are not what the method takes. Nothing else is the caller's to mend. */
const INVALID_PARAMS = -32602

/** Everything that is wrong with the answer of a tool; empty where a model can go on with it. */
export function faultsOfAnswer(tool: Tool, { result, error }: RpcAnswer): string[] {
  if (error) {
    const isExpected = error.code === INVALID_PARAMS
    return [...(isExpected ? [] : [`error ${error.code}: ${error.message}`]), ...faultsOfText(error.message)]
  }
  const content: readonly { readonly type?: unknown; readonly text?: unknown }[] = result?.content ?? []
  const [first] = content
  if (content.length !== 1 || first?.type !== 'text' || typeof first.text !== 'string' || first.text === '')
    return [`no text: ${JSON.stringify(result).slice(0, 200)}`]
  const faults = faultsOfText(first.text)
  if (result.isError) return [...faults, ...faultsOfRefusal(first.text)]
  const { outputSchema } = describeTool(tool)
  return [
    ...faults,
    ...faultsOf(result.structuredContent, outputSchema as Schema),
    ...faultsOfValue(result.structuredContent),
  ]
}

function faultsOfRefusal(text: string): string[] {
  // What happened, then a sentence that says what to do.
  const [, advice = '', code = ''] = /^\S.* ([A-Z"].*) \[([A-Z_]+)\]$/s.exec(text) ?? []
  if (!(code in errorTable())) return [`no known code: ${text.slice(0, 300)}`]
  if (code === 'INTERNAL') return [`nobody expected: ${text.slice(0, 300)}`]
  return advice === '' ? [`no advice: ${text.slice(0, 300)}`] : []
}

export function faultsOfText(text: string): string[] {
  const breaches = findTextBreaches(text)
  const stack = /\n\s+at .+:\d+:\d+|node_modules|\.ts:\d+/.exec(text)
  return stack ? [...breaches, `a stack: ${stack[0]}`] : breaches
}

function faultsOfValue(value: unknown): string[] {
  if (typeof value === 'string') return faultsOfText(value)
  if (Array.isArray(value)) return value.flatMap(faultsOfValue)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => [...faultsOfText(name), ...faultsOfValue(each)])
}
