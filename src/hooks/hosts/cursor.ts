import { formatAnswer, joinTexts } from './answer.ts'
import {
  type Fields,
  isGiven,
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

const EVENTS: Readonly<Record<string, HookEventName>> = {
  sessionStart: 'session.start',
  beforeSubmitPrompt: 'prompt.submit',
  preToolUse: 'tool.before',
  postToolUse: 'tool.after',
  stop: 'turn.stop',
  subagentStart: 'subagent.start',
  subagentStop: 'subagent.stop',
  preCompact: 'compact.before',
  sessionEnd: 'session.end',
}

export const cursor: Host = {
  name: 'cursor',
  programs: ['cursor', 'cursor-agent'],
  parse: parseEvent,
  render: renderAnswer,
  injects: ['session.start', 'tool.after', 'turn.stop'],
  notifies: [],
  // There are versions that run a hook at session start or after a tool and drop its context without a word. A message
  // that follows a stop always arrives, so all mail waits for that.
  drains: { 'turn.stop': 4 },
  canBlockStop: true,
  canDenyTool: true,
  maxCharacters: 8_000,
  maxTokens: null,
  stopCap: 5,
  stopCapVariable: null,
  continuesAsPrompt: true,
  keepsContextWhenCompacting: true,
  wake: 'none',
  support: {
    'session start': 'unsupported',
    prompt: 'unsupported',
    'after a tool': 'unsupported',
    stop: 'documented',
    'stop gate': 'documented',
    'tool gate': 'documented',
    'idle wake': 'unsupported',
  },
}

function parseEvent(input: unknown): HookEvent | undefined {
  const fields = parseFields(input)
  const hostEvent = fields && readEvent(fields, 'hook_event_name')
  if (fields === undefined || hostEvent === undefined) return undefined
  const loops = readLoops(fields)
  const event = {
    name: nameStop(nameEvent(EVENTS, hostEvent), fields),
    hostEvent,
    sessionId: readSession(fields, 'conversation_id'),
    cwd: readRoot(fields) ?? readPath(readField(fields, 'cwd')),
    isSubagent: hostEvent.startsWith('subagent') || isGiven(fields, 'parent_conversation_id'),
    tool: readTool(fields, 'tool_name'),
    isStopActive: loops !== null && loops > 0,
    source: hostEvent === 'sessionEnd' ? readWord(fields, 'reason') : null,
  } as const
  return { ...event, firing: nameFiring(event, ...readMarks(event.name, fields)) }
}

/** A turn that a person broke off, or that failed, is neither held nor continued. */
function nameStop(name: HookEventName, fields: Fields): HookEventName {
  const status = readField(fields, 'status')
  return name === 'turn.stop' && status !== undefined && status !== 'completed' ? 'other' : name
}

function readRoot(fields: Fields): string | null {
  const roots = readField(fields, 'workspace_roots')
  return Array.isArray(roots) ? readPath(roots[0]) : null
}

function readLoops(fields: Fields): number | null {
  const value = readField(fields, 'loop_count')
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

/** A generation begins with each message of the user, and each follow-up is counted. */
function readMarks(name: HookEventName, fields: Fields): readonly (string | number | null)[] {
  if (Object.hasOwn(fields, 'tool_name')) return [readWord(fields, 'tool_use_id')]
  const generation = readWord(fields, 'generation_id')
  if (name === 'prompt.submit') return [generation]
  return name === 'turn.stop' ? [generation, readLoops(fields)] : [null]
}

/** It wants JSON even where there is nothing to say. */
function renderAnswer(event: HookEvent, answer: HookAnswer): string {
  return formatAnswer(renderMembers(event.name, answer), '{}')
}

function renderMembers(name: HookEventName, answer: HookAnswer): Readonly<Record<string, unknown>> {
  if (name === 'turn.stop') return { followup_message: joinTexts(answer.block, answer.context) }
  if (name === 'tool.before' && answer.block) return { permission: 'deny', agent_message: answer.block }
  return { additional_context: cursor.injects.includes(name) ? answer.context : undefined }
}
