import type { Trust } from './caller.ts'
import { PosternError } from './errors.ts'

/**
 * A condition that an agent must meet before it may go on.
 *
 *   open ─resolve→ resolved · ─waive→ waived · ─time is over→ expired
 *     └──passed without leave→ breached ─resolve / waive / its decision ends, afterwards→ resolved, waived, expired
 *
 * Only an open gate holds. A breached one has been passed although nobody granted it, which a person was told; it holds
 * no more, or its agent could be trapped for ever. Its condition is not met by that.
 */
export const GATE_MOVES = {
  open: ['resolved', 'waived', 'expired', 'breached'],
  breached: ['resolved', 'waived', 'expired'],
  resolved: [],
  waived: [],
  expired: [],
} as const satisfies Record<string, readonly string[]>

export type GateState = keyof typeof GATE_MOVES
export const GATE_STATES = Object.keys(GATE_MOVES) as readonly GateState[]

/** What a gate can wait for. */
export const GATE_KINDS = ['human', 'timer', 'message', 'decision', 'command', 'gate', 'service', 'bus'] as const
export type GateKind = (typeof GATE_KINDS)[number]

/** Strict holds; soft only warns, once in a session. */
export const GATE_MODES = ['strict', 'soft'] as const
export type GateMode = (typeof GATE_MODES)[number]

/** What a gate holds: the end of a turn, or the use of a tool. */
export const GATE_HOOKS = ['stop', 'tool'] as const
export type GateHook = (typeof GATE_HOOKS)[number]

/** What happens at the gate while the store cannot be read. */
export const UNAVAILABLE_POLICIES = ['allow', 'block'] as const
export type UnavailablePolicy = (typeof UNAVAILABLE_POLICIES)[number]

/** A gate that waits across sessions. */
export interface Gate {
  readonly id: string
  /** Whom it holds. */
  readonly agent: string
  readonly kind: GateKind
  readonly mode: GateMode
  readonly hook: GateHook
  /** The only tool it concerns; null for all of them, and where it holds the end of a turn. */
  readonly tool: string | null
  readonly reason: string
  readonly state: GateState
  /** The message, decision, gate, command, event of a service, entry on a bus or item of a handoff it waits for. */
  readonly awaits: string | null
  /** The folder in which a command is run. */
  readonly folder: string | null
  /**
   * The only machine on which a command is run, or a bus looked at: nobody's store lets them run programs on the machine
   * of another, and buses are files.
   */
  readonly machine: string | null
  /** When a timer is over. */
  readonly untilAt: number | null
  readonly onUnavailable: UnavailablePolicy
  /** Who is told, beside its agent, when it opens. */
  readonly waiters: readonly string[]
  readonly createdBy: string
  readonly createdTrust: Trust
  readonly createdAt: number
  /** When it expires by itself. */
  readonly dueAt: number | null
  readonly remindEveryMs: number | null
  readonly remindedAt: number | null
  readonly escalateTo: string | null
  readonly escalateAt: number | null
  readonly closedAt: number | null
  readonly closedBy: string | null
  readonly closedReason: string | null
}

/** One entry of a gate's history. */
export interface GateStep {
  readonly at: number
  readonly step: string
  readonly by: string
  readonly trust: Trust
  readonly sessionId: string | null
  readonly evidence: string
  /** Absent for a single step. Otherwise the step is the last of so many that are not kept one by one. */
  readonly times?: number
}

/** A gate of one session: a rule of behaviour, fulfilled by a mark or by a command that succeeds. */
export interface SessionGate {
  readonly sessionId: string
  readonly name: string
  readonly hook: GateHook
  readonly mode: GateMode
  readonly check: string | null
  readonly reason: string
  /** The only machine on which its command is run. */
  readonly machine: string
  readonly registeredBy: string
  readonly registeredTrust: Trust
  readonly registeredAt: number
  readonly markedAt: number | null
  readonly markedBy: string | null
}

/** The built-in gate that is met by an entry on the bus of the task. */
export const TASK_UPDATE = 'task-update'

/** The built-in gate that is met by an item for the next session. */
export const HARVEST = 'harvest'

/** A gate of the session kind as a configuration sets it, for every session. */
export interface SessionGateRule {
  readonly name: string
  readonly hook: GateHook
  readonly mode: GateMode
  readonly check: string | null
  readonly reason: string
}

const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/

export function parseGateName(value: unknown): string {
  if (typeof value === 'string' && NAME.test(value)) return value
  throw new PosternError('VALUE_INVALID', {
    field: 'gate name',
    value,
    next: 'Use lower-case letters, digits, "-" and "_", such as "tests-pass".',
  })
}

export function parseGateKind(value: unknown): GateKind {
  return oneOf('kind', GATE_KINDS, value)
}

export const parseGateMode = (value: unknown): GateMode => oneOf('mode', GATE_MODES, value)
export const parseGateHook = (value: unknown): GateHook => oneOf('hook', GATE_HOOKS, value)
export const parsePolicy = (value: unknown): UnavailablePolicy => oneOf('policy', UNAVAILABLE_POLICIES, value)

function oneOf<T extends string>(field: string, known: readonly T[], value: unknown): T {
  if (known.includes(value as T)) return value as T
  throw new PosternError('VALUE_INVALID', {
    field,
    value,
    next: `Use one of ${known.join(', ')}.`,
  })
}

/** Whether a gate concerns a use of this tool. A name that ends in `*` means every tool that begins so. */
export function concernsTool({ tool }: Pick<Gate, 'tool'>, used: string): boolean {
  if (tool === null) return true
  return tool.endsWith('*') ? used.startsWith(tool.slice(0, -1)) : tool === used
}
