import { type Dialect, NOTIFIES, speakHookJson } from './hook-json.ts'
import type { Host } from './host.ts'

const DIALECT = {
  events: {
    SessionStart: 'session.start',
    UserPromptSubmit: 'prompt.submit',
    PreToolUse: 'tool.before',
    PostToolUse: 'tool.after',
    Stop: 'turn.stop',
    SubagentStart: 'subagent.start',
    SubagentStop: 'subagent.stop',
    PreCompact: 'compact.before',
    PostCompact: 'compact.after',
    SessionEnd: 'session.end',
  },
  strangers: [],
  // A stop that answers with context is refused as a whole, and the turn ends: its text is the reason to go on.
  contextAt: ['session.start', 'prompt.submit', 'tool.before', 'tool.after'],
  stopDecision: 'block',
  toolDenial: 'permissionDecision',
  stamp: null,
} as const satisfies Dialect

export const codex: Host = {
  name: 'codex',
  programs: ['codex'],
  ...speakHookJson(DIALECT),
  injects: [...DIALECT.contextAt, 'turn.stop'],
  notifies: NOTIFIES,
  drains: { 'session.start': 4, 'prompt.submit': 4, 'tool.after': 1, 'turn.stop': 2 },
  canBlockStop: true,
  canDenyTool: true,
  // It takes about 2,500 tokens or 10,000 characters, and cuts out the middle of more.
  maxCharacters: 8_000,
  maxTokens: 2_000,
  stopCap: null,
  stopCapVariable: null,
  continuesAsPrompt: false,
  keepsContextWhenCompacting: false,
  wake: 'queue',
  support: {
    'session start': 'verified',
    prompt: 'verified',
    'after a tool': 'verified',
    stop: 'verified',
    'stop gate': 'verified',
    'tool gate': 'verified',
    'idle wake': 'verified',
  },
}
