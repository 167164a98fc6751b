import { type Dialect, NOTIFIES, speakHookJson } from './hook-json.ts'
import type { Host } from './host.ts'

const DIALECT = {
  events: {
    SessionStart: 'session.start',
    UserPromptSubmit: 'prompt.submit',
    PreToolUse: 'tool.before',
    // Once for all tools of a batch; PostToolUse fires for each of them, and at the same time.
    PostToolBatch: 'tool.after',
    Stop: 'turn.stop',
    SubagentStart: 'subagent.start',
    SubagentStop: 'subagent.stop',
    PreCompact: 'compact.before',
    PostCompact: 'compact.after',
    SessionEnd: 'session.end',
  },
  // Cursor, Copilot CLI and VS Code run the hooks in Claude Code's settings too, and drop most of what is answered in
  // this form, so that mail would be lost there. Cursor names its version, the others the time or why the turn stops.
  strangers: ['cursor_version', 'stop_reason', 'timestamp'],
  contextAt: ['session.start', 'prompt.submit', 'tool.before', 'tool.after', 'turn.stop'],
  stopDecision: 'block',
  toolDenial: 'permissionDecision',
  stamp: null,
} as const satisfies Dialect

export const claudeCode: Host = {
  name: 'claude-code',
  programs: ['claude', 'claude-code'],
  ...speakHookJson(DIALECT),
  injects: DIALECT.contextAt,
  notifies: NOTIFIES,
  drains: { 'session.start': 4, 'prompt.submit': 4, 'tool.after': 1, 'turn.stop': 2 },
  canBlockStop: true,
  canDenyTool: true,
  // It cuts at 10,000.
  maxCharacters: 8_000,
  maxTokens: null,
  stopCap: 8,
  stopCapVariable: 'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP',
  continuesAsPrompt: false,
  keepsContextWhenCompacting: true,
  wake: 'rewake',
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
