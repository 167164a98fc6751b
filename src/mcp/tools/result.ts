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
  const structuredContent = Object.fromEntries(fields)
  // Hosts hand a model one of the two. Whoever gets the text needs what is in the other.
  const whole = RENDERED in declared ? text : `${text}\n${JSON.stringify(structuredContent)}`
  return { content: [{ type: 'text', text: whole }], structuredContent }
}

/** A refusal in words: what happened, what to do next, and the code for programs. */
export function toRefusal(tool: Tool, thrown: unknown): CallToolResult {
  const error = asPosternError(thrown)
  const next = error.code === 'INPUT_INVALID' ? `Fix the input and retry: ${fieldsOf(tool)}` : byTools(error.next)
  const text = `${neutralise(error.message, LINE)} ${neutralise(next, LINE)} [${error.code}]`
  return { content: [{ type: 'text', text }], isError: true }
}

function fieldsOf({ name, input }: Tool): string {
  const fields = Object.keys(input.shape)
  return fields.length === 0 ? `${name} takes nothing.` : `${name} takes ${fields.join(', ')}.`
}

/** Tools in the place of commands that an agent without a shell cannot run; others are for people. */
const TOOLS_FOR: Readonly<Record<string, string>> = {
  'agent list': 'agent_list',
  'decision list': 'gate_list',
  'decision show': 'decision_get',
  'gate list': 'gate_list',
  'gate show': 'gate_list',
  'inbox list': 'inbox_check',
  'inbox search': 'message_search',
  'inbox show': 'message_read',
  trace: 'message_read',
}

function byTools(next: string): string {
  return next.replace(/"postern ([a-z]+)(?: ([a-z]+))?[^"]*"/g, (quoted, noun: string, verb: string | undefined) => {
    return TOOLS_FOR[`${noun} ${verb}`] ?? TOOLS_FOR[noun] ?? quoted
  })
}
