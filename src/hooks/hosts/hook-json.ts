import { formatAnswer, gather, joinTexts } from './answer.ts'
import {
  type Fields,
  isGiven,
  isSet,
  nameEvent,
  nameFiring,
  parseFields,
  readEvent,
  readField,
  readPath,
  readSession,
  readTool,
  readWord,
} from './fields.ts'
import type { HookAnswer, HookEvent, HookEventName, Host } from './host.ts'

/**
 * The JSON that Claude Code speaks, and Codex and Gemini CLI after it. What differs between them stands in a dialect.
 */
export interface Dialect {
  readonly events: Readonly<Record<string, HookEventName>>
  /** Fields by which another program gives itself away that runs this host's hooks as if they were its own. */
  readonly strangers: readonly string[]
  /** Where `additionalContext` reaches the model. A stop that is not among them has its text in the reason. */
  readonly contextAt: readonly HookEventName[]
  /** The decision that puts off a stop. */
  readonly stopDecision: 'block' | 'deny'
  /** The member that denies a tool. */
  readonly toolDenial: 'permissionDecision' | 'decision'
  /** A field in which any two events differ that are not about a tool. */
  readonly stamp: string | null
}

/** Where a person sees a line of ours. Elsewhere what we print is thrown away, or goes to the summariser. */
export const NOTIFIES: readonly HookEventName[] = [
  'session.start',
  'prompt.submit',
  'tool.before',
  'tool.after',
  'turn.stop',
]

export function speakHookJson(dialect: Dialect): Pick<Host, 'parse' | 'render'> {
  return {
    parse: (input) => parseEvent(dialect, input),
    render: (event, answer) => renderAnswer(dialect, event, answer),
  }
}

function parseEvent(dialect: Dialect, input: unknown): HookEvent | undefined {
  const fields = parseFields(input)
  if (fields === undefined || isStrange(dialect, fields)) return undefined
  const hostEvent = readEvent(fields, 'hook_event_name')
  if (hostEvent === undefined) return undefined
  const named = nameEvent(dialect.events, hostEvent)
  const event = {
    name: isInnerAgent(named, fields) ? 'other' : named,
    hostEvent,
    sessionId: readSession(fields, 'session_id'),
    cwd: readPath(readField(fields, 'cwd')),
    isSubagent: isGiven(fields, 'agent_id') || named.startsWith('subagent.'),
    tool: readTool(fields, 'tool_name'),
    isStopActive: isSet(fields, 'stop_hook_active'),
    source: readSource(named, fields),
  } as const
  return { ...event, firing: nameFiring(event, readFiring(dialect, fields)) }
}

function isStrange(dialect: Dialect, fields: Fields): boolean {
  return dialect.strangers.some((field) => Object.hasOwn(fields, field))
}

function readSource(name: HookEventName, fields: Fields): string | null {
  if (name === 'session.start') return readWord(fields, 'source')
  return name === 'session.end' ? readWord(fields, 'reason') : null
}

/** A host runs agents of its own, for instance one that summarises. They have no type, and are none of the user's. */
function isInnerAgent(name: HookEventName, fields: Fields): boolean {
  return name === 'subagent.stop' && readWord(fields, 'agent_type') === null
}

/**
 * A tool's use has an id. A prompt's or a turn's id says nothing: prompts that are typed while the agent works share it,
 * and so do all stops of a turn.
 */
function readFiring(dialect: Dialect, fields: Fields): string | null {
  const useId = readWord(fields, 'tool_use_id') ?? readFirstUse(fields)
  if (useId !== null || dialect.stamp === null || Object.hasOwn(fields, 'tool_name')) return useId
  return readWord(fields, dialect.stamp)
}

/** A batch is known by its first call: no call is in two batches. */
function readFirstUse(fields: Fields): string | null {
  const calls = readField(fields, 'tool_calls')
  const first = Array.isArray(calls) ? parseFields(calls[0]) : undefined
  return first === undefined ? null : readWord(first, 'tool_use_id')
}

function renderAnswer(dialect: Dialect, event: HookEvent, answer: HookAnswer): string {
  const specific = gather({
    ...renderPermission(dialect, event.name, answer),
    additionalContext: dialect.contextAt.includes(event.name) ? answer.context : undefined,
  })
  return formatAnswer(
    {
      ...renderDecision(dialect, event.name, answer),
      hookSpecificOutput: specific && { hookEventName: event.hostEvent, ...specific },
      systemMessage: NOTIFIES.includes(event.name) ? answer.notice : undefined,
    },
    '',
  )
}

function renderPermission(dialect: Dialect, name: HookEventName, answer: HookAnswer) {
  const isDenied = name === 'tool.before' && dialect.toolDenial === 'permissionDecision' && answer.block
  return isDenied ? { permissionDecision: 'deny', permissionDecisionReason: answer.block } : undefined
}

function renderDecision(dialect: Dialect, name: HookEventName, answer: HookAnswer) {
  if (name === 'turn.stop') {
    const reason = joinTexts(answer.block, dialect.contextAt.includes(name) ? undefined : answer.context)
    return reason === undefined ? undefined : { decision: dialect.stopDecision, reason }
  }
  const isDenied = name === 'tool.before' && dialect.toolDenial === 'decision' && answer.block
  return isDenied ? { decision: 'deny', reason: answer.block } : undefined
}
