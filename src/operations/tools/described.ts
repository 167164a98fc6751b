import { type JsonSchema, toJsonSchema } from '../json-schema.ts'
import type { Tool } from './tool.ts'

const described = new WeakMap<Tool, DescribedTool>()

/** A tool as clients are told of it. Made on first use and kept: over HTTP every request asks anew. */
export function describeTool(tool: Tool): DescribedTool {
  const known = described.get(tool)
  if (known) return known
  const made = describe(tool)
  described.set(tool, made)
  return made
}

export type DescribedTool = ReturnType<typeof describe>

function describe({ name, title, description, input, output, hints, isAlwaysThere }: Tool) {
  return {
    name,
    title,
    description,
    inputSchema: objectSchema(toJsonSchema(input, 'input')),
    outputSchema: objectSchema(toJsonSchema(output, 'input')),
    annotations: { ...hints },
    ...(isAlwaysThere && { _meta: { 'anthropic/alwaysLoad': true } }),
  }
}

function objectSchema(schema: JsonSchema) {
  return { ...thinned(schema), type: 'object' as const }
}

/** That a whole number is no larger than JavaScript can count goes without saying. */
function thinned(schema: JsonSchema): JsonSchema {
  const { minimum, maximum, ...rest } = schema
  const { properties, items, anyOf } = rest
  return {
    ...rest,
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
    ...(items && { items: thinned(items) }),
    ...(anyOf && { anyOf: anyOf.map(thinned) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, thinned(each)])),
    }),
  }
}
