import type { CallToolResult } from '@modelcontextprotocol/server'
import { asPosternError } from '../../model/errors.ts'
import { toWire } from '../../model/network/wire-json.ts'
import type { Tool } from '../../operations/tools/tool.ts'
import { LINE, neutralise } from '../../render/neutralise.ts'
import { harmless } from '../harmless.ts'
import type { ToolAnswer } from './tool-call.ts'

/** The field in which a tool hands over what `render` has made: there it is fenced already. */
const RENDERED = 'text'

/** What a tool has answered, as its client gets it: no more than was declared, and nothing that could pose as ours. */
export function toResult({ output }: Tool, { structured, text }: ToolAnswer): CallToolResult {
  const declared = output.parse(toWire(structured)) as Readonly<Record<string, unknown>>
  const fields = Object.entries(declared).map(([name, value]) => [name, name === RENDERED ? value : harmless(value)])
  return { content: [{ type: 'text', text }], structuredContent: Object.fromEntries(fields) }
}

/** A refusal in words: what happened, what to do next, and the code for programs. */
export function toRefusal(tool: Tool, thrown: unknown): CallToolResult {
  const error = asPosternError(thrown)
  const next = error.code === 'INPUT_INVALID' ? `Mend it and repeat; ${fieldsOf(tool)}` : error.next
  const text = `${neutralise(error.message, LINE)} ${neutralise(next, LINE)} [${error.code}]`
  return { content: [{ type: 'text', text }], isError: true }
}

function fieldsOf({ name, input }: Tool): string {
  const fields = Object.keys(input.shape)
  return fields.length === 0 ? `${name} takes nothing.` : `${name} takes ${fields.join(', ')}.`
}
