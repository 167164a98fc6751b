import { formatAnswer } from './answer.ts'
import {
  isSet,
  nameFiring,
  parseFields,
  readEvent,
  readField,
  readPath,
  readSession,
  readTool,
  readWord,
} from './fields.ts'
import { HOOK_EVENTS, type HookEvent, type HookEventName, type Host } from './host.ts'

/** For agents of one's own: events in our words, and an answer that says only what was decided. */
export const generic: Host = {
  name: 'generic',
  // It may be any program, and a terminal or a script that tries a hook out is none.
  programs: [],
  parse: parseEvent,
  render: (_event, { context, block, notice }) => formatAnswer({ context, block, notice }, '{}'),
  injects: HOOK_EVENTS,
  notifies: HOOK_EVENTS,
  drains: { 'session.start': 4, 'prompt.submit': 4, 'tool.after': 1, 'turn.stop': 2 },
  canBlockStop: true,
  canDenyTool: true,
  maxCharacters: 8_000,
  maxTokens: null,
  stopCap: null,
  stopCapVariable: null,
  continuesAsPrompt: false,
  keepsContextWhenCompacting: true,
  wake: 'none',
  support: {
    'session start': 'documented',
    prompt: 'documented',
    'after a tool': 'documented',
    stop: 'documented',
    'stop gate': 'documented',
    'tool gate': 'documented',
    'idle wake': 'unsupported',
  },
}

function parseEvent(input: unknown): HookEvent | undefined {
  const fields = parseFields(input)
  const hostEvent = fields && readEvent(fields, 'event')
  if (fields === undefined || hostEvent === undefined) return undefined
  const event = {
    name: isHookEvent(hostEvent) ? hostEvent : 'other',
    hostEvent,
    sessionId: readSession(fields, 'session_id'),
    cwd: readPath(readField(fields, 'cwd')),
    isSubagent: isSet(fields, 'subagent'),
    tool: readTool(fields, 'tool'),
    isStopActive: isSet(fields, 'stop_active'),
    source: readWord(fields, 'source'),
  } as const
  return { ...event, firing: nameFiring(event, readWord(fields, 'event_id') ?? readWord(fields, 'tool_use_id')) }
}

function isHookEvent(word: string): word is HookEventName {
  return HOOK_EVENTS.includes(word as HookEventName)
}
