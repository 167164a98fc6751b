import { join } from 'node:path'
import { HOST_TIMEOUT_S } from '../timeouts.ts'

/** Where a host looks for its settings. */
export interface Places {
  readonly userHome: string
  /** The root of the project. */
  readonly project: string
  /** A folder that a variable names instead of the host's own. */
  readonly moved: string | undefined
}

export const SCOPES = ['user', 'project'] as const
export type Scope = (typeof SCOPES)[number]

/** `full` always reaches Node, `rewake` is the watcher in the background; without a word an event only delivers. */
export type HookWord = 'full' | 'rewake'

/** One entry for one event, but for its command. */
export interface HandlerForm {
  readonly word: HookWord | null
  readonly before: Readonly<Record<string, unknown>>
  readonly after: Readonly<Record<string, unknown>>
}

/** A host whose settings we write: what differs between them, as data. */
export interface Target {
  readonly host: string
  /** The variable that moves the user's folder, if there is one. */
  readonly folderVariable: string | null
  readonly userFile: (places: Places) => string
  readonly projectFile: (places: Places) => string
  /** Entries stand in groups with a matcher, or by themselves. */
  readonly isGrouped: boolean
  /** What the file must say besides. */
  readonly preamble: Readonly<Record<string, unknown>>
  /**
   * Who fills in `$HOME`: the shell that runs the command; the host, before a shell sees it; or nobody.
   * Gemini CLI resolves variables when it reads its settings. Cursor promises no shell.
   */
  readonly fillsHome: 'shell' | 'host' | 'nobody'
  readonly events: Readonly<Record<string, readonly HandlerForm[]>>
  /** Events that can only deliver, which the host may post to a server instead of running a command. */
  readonly postable: readonly string[]
  /** What the user has to know or do afterwards. */
  readonly next: string
}

/** Far above our own deadline of 1.5 s, so that it is never the host that ends a hook. */
export const TIMEOUT_S = HOST_TIMEOUT_S
/** Codex lets the end of a session take no longer. */
const CODEX_END_S = 3
/** The watcher ends by itself; each stop starts the next one. */
const REWAKE_S = 86_400

const command = (timeout: number, more: object = {}) => ({
  before: { type: 'command' },
  after: { ...more, timeout },
})
const delivers = (form: Omit<HandlerForm, 'word'>): readonly HandlerForm[] => [{ ...form, word: null }]
const full = (form: Omit<HandlerForm, 'word'>): readonly HandlerForm[] => [{ ...form, word: 'full' }]

const claudeForm = command(TIMEOUT_S)
const rewake: HandlerForm = { ...command(REWAKE_S, { asyncRewake: true }), word: 'rewake' }
const geminiForm = { before: { name: 'postern', type: 'command' }, after: { timeout: TIMEOUT_S * 1000 } }
const cursorForm = { before: {}, after: { timeout: TIMEOUT_S } }

export const CLAUDE_CODE: Target = {
  host: 'claude-code',
  folderVariable: 'CLAUDE_CONFIG_DIR',
  userFile: ({ userHome, moved }) => join(moved ?? join(userHome, '.claude'), 'settings.json'),
  projectFile: ({ project }) => join(project, '.claude', 'settings.json'),
  isGrouped: true,
  preamble: {},
  fillsHome: 'shell',
  events: {
    SessionStart: [...full(claudeForm), rewake],
    UserPromptSubmit: delivers(claudeForm),
    PreToolUse: delivers(claudeForm),
    PostToolBatch: delivers(claudeForm),
    Stop: [...full(claudeForm), rewake],
    PreCompact: full(claudeForm),
    SessionEnd: full(claudeForm),
  },
  // PreToolUse delivers too, but a gate holds a tool there, and whatever is not answered over HTTP is let through.
  postable: ['UserPromptSubmit', 'PostToolBatch'],
  next: 'Sessions that are started from now on are served.',
}

const CODEX: Target = {
  host: 'codex',
  folderVariable: 'CODEX_HOME',
  userFile: ({ userHome, moved }) => join(moved ?? join(userHome, '.codex'), 'hooks.json'),
  projectFile: ({ project }) => join(project, '.codex', 'hooks.json'),
  isGrouped: true,
  preamble: {},
  fillsHome: 'shell',
  events: {
    SessionStart: full(claudeForm),
    UserPromptSubmit: delivers(claudeForm),
    PreToolUse: delivers(claudeForm),
    PostToolUse: delivers(claudeForm),
    PreCompact: full(claudeForm),
    Stop: full(claudeForm),
    SessionEnd: full(command(CODEX_END_S)),
  },
  postable: [],
  next: 'Codex runs no hook that you have not trusted, and does not say so: start codex, open /hooks, and trust these.',
}

const GEMINI: Target = {
  host: 'gemini',
  folderVariable: 'GEMINI_CLI_HOME',
  userFile: ({ userHome, moved }) => join(moved ?? userHome, '.gemini', 'settings.json'),
  projectFile: ({ project }) => join(project, '.gemini', 'settings.json'),
  isGrouped: true,
  preamble: {},
  fillsHome: 'host',
  events: {
    SessionStart: full(geminiForm),
    BeforeAgent: delivers(geminiForm),
    BeforeTool: delivers(geminiForm),
    AfterTool: delivers(geminiForm),
    AfterAgent: full(geminiForm),
    SessionEnd: full(geminiForm),
  },
  postable: [],
  next: 'Gemini CLI runs the hooks of a project only in a folder that it trusts.',
}

const CURSOR: Target = {
  host: 'cursor',
  folderVariable: null,
  userFile: ({ userHome }) => join(userHome, '.cursor', 'hooks.json'),
  projectFile: ({ project }) => join(project, '.cursor', 'hooks.json'),
  isGrouped: false,
  preamble: { version: 1 },
  fillsHome: 'nobody',
  events: {
    sessionStart: full(cursorForm),
    beforeSubmitPrompt: delivers(cursorForm),
    preToolUse: delivers(cursorForm),
    postToolUse: delivers(cursorForm),
    stop: full(cursorForm),
    sessionEnd: full(cursorForm),
  },
  postable: [],
  next: 'Cursor also runs the hooks of Claude Code; an event that comes twice is answered once.',
}

export const TARGETS: readonly Target[] = [CLAUDE_CODE, CODEX, GEMINI, CURSOR]
