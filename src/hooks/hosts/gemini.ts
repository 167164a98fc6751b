import { type Dialect, NOTIFIES, speakHookJson } from './hook-json.ts'
import type { Host } from './host.ts'

const DIALECT = {
  events: {
    SessionStart: 'session.start',
    BeforeAgent: 'prompt.submit',
    BeforeTool: 'tool.before',
    AfterTool: 'tool.after',
    AfterAgent: 'turn.stop',
    // Fires before each request to the model, whether anything is compacted or not.
    PreCompress: 'compact.before',
    SessionEnd: 'session.end',
  },
  strangers: [],
  contextAt: ['session.start', 'prompt.submit', 'tool.after'],
  stopDecision: 'deny',
  toolDenial: 'decision',
  // One event's hooks all get the same time. Tools have none of their own: two may end in the same millisecond.
  stamp: 'timestamp',
} as const satisfies Dialect

export const gemini: Host = {
  name: 'gemini',
  programs: ['gemini', 'gemini-cli'],
  ...speakHookJson(DIALECT),
  injects: [...DIALECT.contextAt, 'turn.stop'],
  notifies: NOTIFIES,
  // Text reaches the model after a tool too, but the event does not say whose tool it was: mail could go to a subagent.
  drains: { 'session.start': 4, 'prompt.submit': 4, 'turn.stop': 2 },
  canBlockStop: true,
  canDenyTool: true,
  // It takes 60,000; the reader's context is the limit.
  maxCharacters: 8_000,
  maxTokens: null,
  stopCap: null,
  stopCapVariable: null,
  continuesAsPrompt: true,
  keepsContextWhenCompacting: true,
  wake: 'none',
  support: {
    'session start': 'verified',
    prompt: 'verified',
    'after a tool': 'unsupported',
    stop: 'verified',
    'stop gate': 'verified',
    'tool gate': 'verified',
    'idle wake': 'unsupported',
  },
}
