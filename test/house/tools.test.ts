import { describe, expect, it } from 'vitest'
import { HANDLERS } from '../../src/mcp/tools/handlers.ts'
import { isRead, OPERATION_NAMES, OPERATIONS, type OperationName } from '../../src/model/operations.ts'
import { inputSchema, type JsonSchema, typesOf } from '../../src/operations/json-schema.ts'
import { declaredOperation } from '../../src/operations/table.ts'
import { describeTool } from '../../src/operations/tools/described.ts'
import { CORE_TOOLS, TOOL_SETS } from '../../src/operations/tools/table.ts'
import { ADDED_FIELDS, type Tool } from '../../src/operations/tools/tool.ts'

const TOOLS = TOOL_SETS.seeds
const MAX_CORE_TOOLS = 16
const MAX_NAME = 64
const MAX_DESCRIPTION = 300

/** Tools that change something and take no key, each with the reason. */
const KEYLESS: Readonly<Record<string, string>> = {
  inbox_check: 'a repeated call shows again what may not have arrived, which a repeated answer could not tell apart',
  enter_space: 'to turn to a space twice is to be turned to it, and its history must be that of now',
}

/** Operations that only people may use, or that undo what people have decided: no tool may lead to them. */
const FOR_PEOPLE: readonly OperationName[] = [
  'decisions.respond',
  'gates.waive',
  'gates.passed',
  'inbox.releaseHeld',
  'inbox.retryDead',
  'agents.add',
  'agents.rename',
  'agents.remove',
  'tokens.create',
  'tokens.revoke',
  'services.create',
  'services.rotate',
  'services.revoke',
]

/** The declaration that a tool's fields are taken from: that of its first operation, or of one plan among many. */
function declaredBy({ name, operations: [first] }: Tool): JsonSchema {
  const schema = inputSchema(declaredOperation(first))
  return name === 'plan_set' ? (schema.properties?.['plans']?.items ?? {}) : schema
}

/** Fields of a tool that its operation has not, or has with another type, at any depth. */
function strays(own: JsonSchema, declared: JsonSchema, path = ''): string[] {
  return Object.entries(own.properties ?? {}).flatMap(([name, schema]) => {
    const place = path === '' ? name : `${path}.${name}`
    if (path === '' && ADDED_FIELDS.includes(name)) return []
    const theirs = declared.properties?.[name]
    if (!theirs) return [`${place}: the operation has no such field`]
    const [mine, known] = [bare(schema), bare(theirs)]
    const isSame = isAnything(mine) || isAnything(known) || typesOf(mine).every((type) => typesOf(known).includes(type))
    if (!isSame) return [`${place}: ${typesOf(mine)} here, ${typesOf(known)} there`]
    return [...strays(mine, known, place), ...strays(mine.items ?? {}, known.items ?? {}, `${place}[]`)]
  })
}

/** A choice of which one is the value itself and the other its absence. */
function bare(schema: JsonSchema): JsonSchema {
  return schema.anyOf?.find((each) => !typesOf(each).includes('null')) ?? schema
}

function isAnything(schema: JsonSchema): boolean {
  return typesOf(schema).length === 0
}

describe('one operation, and the tools that it is behind', () => {
  it('every operation of a tool exists', () => {
    const missing = TOOLS.flatMap(({ operations }) => operations.filter((name) => !OPERATION_NAMES.includes(name)))
    expect(missing).toEqual([])
  })

  it('every field of a tool is a field of its first operation, with the same type', () => {
    const found = TOOLS.flatMap((tool) =>
      strays(inputSchema(tool), declaredBy(tool)).map((stray) => `${tool.name}.${stray}`),
    )
    expect(found).toEqual([])
  })

  it('finds a field that no operation has, and one of another type', () => {
    const declared: JsonSchema = { properties: { id: { type: 'string' }, list: { items: { type: 'string' } } } }
    const own: JsonSchema = {
      properties: { id: { type: 'integer' }, as: { type: 'string' }, dedupKey: { type: 'string' } },
    }
    expect(strays(own, declared)).toEqual(['id: integer here, string there', 'as: the operation has no such field'])
  })

  it('what an operation requires, its tool requires, unless the connection knows it', () => {
    const missing = TOOLS.flatMap((tool) => {
      const own = inputSchema(tool).required ?? []
      const asked = declaredBy(tool).required ?? []
      return asked.filter((field) => !own.includes(field)).map((field) => `${tool.name}.${field}`)
    })
    // Who the agent is and where it works the connection says.
    expect(missing).toEqual([
      'inbox_check.agent',
      'inbox_ack.agent',
      'bus_post.project_id',
      'bus_read.project_id',
      'handoff_leave.project',
    ])
  })

  it('every tool has a handler, and every handler a tool', () => {
    expect(Object.keys(HANDLERS).sort()).toEqual(TOOLS.map(({ name }) => name).sort())
  })

  it('no tool names the agent that calls it', () => {
    const named = TOOLS.filter(({ input }) =>
      ['agent', 'as', 'from', 'caller', 'sender'].some((field) => field in input.shape),
    )
    expect(named).toEqual([])
  })

  it('no tool leads to what is for people or administrators', () => {
    const reached = new Set(TOOLS.flatMap(({ operations }) => operations))
    expect(FOR_PEOPLE.filter((name) => reached.has(name))).toEqual([])
    const closed = [...reached].filter((name) => ['people', 'admin'].includes(OPERATIONS[name].access.to))
    expect(closed).toEqual([])
  })
})

describe('what a model is told of tools', () => {
  it('they are few, and each has a name of its own that every host takes', () => {
    expect(CORE_TOOLS.length).toBeLessThanOrEqual(MAX_CORE_TOOLS)
    const names = TOOLS.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names.filter((name) => !/^[a-z]+(?:_[a-z]+)*$/.test(name) || name.length > MAX_NAME)).toEqual([])
  })

  it('each says in a few words when to use it', () => {
    for (const { name, title, description } of TOOLS) {
      expect(title, name).not.toBe('')
      expect(description.length, name).toBeLessThanOrEqual(MAX_DESCRIPTION)
      // It begins with what to do, and is a sentence.
      expect(description, name).toMatch(/^[A-Z][a-z]+ .*\.$/)
      expect(description, name).not.toContain('\n')
    }
  })

  it('all four hints are said of each, and they fit together', () => {
    for (const { name, hints } of TOOLS) {
      expect(Object.keys(hints).sort(), name).toEqual([
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
        'readOnlyHint',
      ])
      if (hints.readOnlyHint) expect(hints, name).toMatchObject({ destructiveHint: false, idempotentHint: true })
    }
  })

  it('what only looks is behind operations that only look', () => {
    for (const { name, hints, operations } of TOOLS.filter((tool) => tool.hints.readOnlyHint)) {
      expect(hints.readOnlyHint).toBe(true)
      const changing = operations.filter((each) => !isRead(OPERATIONS[each]))
      expect(changing, name).toEqual([])
    }
  })

  it('every tool that changes something takes a key, but for those that say why not', () => {
    const without = TOOLS.filter(({ hints, keyField }) => !hints.readOnlyHint && keyField === undefined)
    expect(without.map(({ name }) => name).sort()).toEqual(Object.keys(KEYLESS).sort())
    for (const { name, keyField, hints } of TOOLS.filter((tool) => tool.keyField !== undefined)) {
      expect(hints.readOnlyHint, name).toBe(false)
      const { properties = {}, required = [] } = inputSchema(TOOLS.find((tool) => tool.name === name)!)
      expect(properties, name).toHaveProperty(keyField!)
      expect(required, name).not.toContain(keyField)
    }
  })

  it('its schemas are objects that say all they hold', () => {
    for (const tool of TOOLS) {
      const { inputSchema: input, outputSchema: output } = describeTool(tool)
      expect([input.type, output.type], tool.name).toEqual(['object', 'object'])
      expect(Object.keys(output.properties ?? {}), tool.name).not.toEqual([])
    }
  })
})

describe('the kind of an operation', () => {
  it('agrees with its method: a GET only reads, and only reads and waits change nothing', () => {
    const posted = OPERATION_NAMES.filter(
      (name) => !OPERATIONS[name].http[0].startsWith('GET ') && isRead(OPERATIONS[name]),
    )
    const changing = OPERATION_NAMES.filter(
      (name) => OPERATIONS[name].http[0].startsWith('GET ') && OPERATIONS[name].kind !== 'reads',
    )
    expect(changing).toEqual([])
    // A slice of a topic is read with POST, because its mark is long.
    expect(posted.filter((name) => OPERATIONS[name].kind !== 'waits')).toEqual(['ledger.verify'])
  })
})
