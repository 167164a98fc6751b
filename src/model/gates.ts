import type { Trust } from './caller.ts'
import type { Gate, GateHook, GateKind, GateMode, GateStep, SessionGate, UnavailablePolicy } from './gate.ts'

/** The operations on gates. */
export interface Gates {
  create(input: CreateGate): Promise<Gate>
  list(input?: { readonly agent?: string; readonly all?: boolean; readonly limit?: number }): Promise<readonly Gate[]>
  show(input: GateRef): Promise<GateInFull>
  /** Looks whether what a gate waits for has come, runs its command if it has one, and resolves it then. */
  check(input: GateRef): Promise<Gate>
  /** The condition is met. Its agent and those who wait are told in the same transaction. */
  resolve(input: GateRef & { readonly reason: string }): Promise<Gate>
  /** The condition need not be met. */
  waive(input: GateRef & { readonly reason: string }): Promise<Gate>
  /** Adds a gate to one session. */
  register(input: RegisterGate): Promise<SessionGate>
  /** A session has done what one of its gates asks for. */
  mark(input: { readonly sessionId: string; readonly name: string }): Promise<SessionGate>
  /** Everything that holds a session, or warns it, at this moment. Runs the commands of its gates. */
  judge(input: JudgeGates): Promise<Judgement>
  /**
   * Notes what became of gates that were not granted: people are told of every pass. A breach counts if the store itself
   * has counted as many continued stops as a turn may have. Otherwise it is recorded as a claim, and the gate still holds.
   */
  passed(input: PassedGates): Promise<void>
  /** Notes an attempt to close a gate, or to answer its question, that was refused before it reached the core. */
  noteRefusal(input: NoteRefusal): Promise<void>
}

export interface GateRef {
  readonly id: string
}

export interface NoteRefusal extends GateRef {
  /** A gate, or a decision by its id. */
  readonly id: string
  readonly attempt: 'resolve' | 'waive' | 'respond' | 'cancel'
  /** The person in whose name it was tried. */
  readonly as: string
  /** The session from which it was tried. */
  readonly sessionId?: string
}

export interface CreateGate {
  /** Whom it holds. */
  readonly agent: string
  readonly kind: GateKind
  readonly mode?: GateMode
  readonly hook?: GateHook
  readonly tool?: string
  readonly reason: string
  /** The message, decision or gate it waits for, the command that must succeed, or the event of a service, such as `ci?status=success`; or the bus and what an entry on it must say, such as `conductor/task-docs?type=ANSWER`. */
  readonly awaits?: string
  readonly folder?: string
  /** How long a timer runs. */
  readonly afterMs?: number
  readonly timeoutMs?: number
  readonly remindEveryMs?: number
  readonly escalateTo?: string
  readonly escalateAfterMs?: number
  readonly waiters?: readonly string[]
  readonly onUnavailable?: UnavailablePolicy
}

export interface GateInFull {
  readonly gate: Gate
  readonly steps: readonly GateStep[]
}

export interface RegisterGate {
  readonly sessionId: string
  readonly name: string
  readonly hook?: GateHook
  readonly mode?: GateMode
  readonly check?: string
  readonly reason?: string
}

export interface JudgeGates {
  readonly agent: string
  readonly sessionId: string
  readonly hook: GateHook
  readonly tool?: string
  /** How long the commands of gates may take together. */
  readonly timeoutMs: number
}

/** Who wrote the words of a gate, and how far that is known. */
export interface GateAuthor {
  readonly createdBy: string
  readonly createdTrust: Trust
}

/** A gate that is not met, as it is put before its agent. */
export interface Finding extends GateAuthor {
  /** A durable gate's id, or the name of a session gate. */
  readonly name: string
  readonly isDurable: boolean
  readonly mode: GateMode
  readonly reason: string
  readonly onUnavailable: UnavailablePolicy
}

export interface Judgement {
  /** What holds. */
  readonly strict: readonly Finding[]
  /** What this session has not been warned of yet. */
  readonly soft: readonly Finding[]
}

export interface PassedGates {
  readonly agent: string
  readonly sessionId: string
  /** Held by us, warned of, let through by our own breaker or against our answer, or let through unread. */
  readonly outcome: 'blocked' | 'warned' | 'breached' | 'bypassed'
  readonly names: readonly string[]
  readonly evidence: string
}

/** The session whose gates a hook asks for. */
export interface FindStandingGates {
  readonly agent: string
  readonly sessionId: string
  /** The gates that the session's shadow holds. */
  readonly known?: KnownGates
}

/** Gates as a hook read them before. */
export interface KnownGates {
  /** The id of the store that they were read from; null if an older version did not note it. */
  readonly store: string | null
  readonly gates: readonly StandingGate[]
  /** When they were last written down. The hook read them from the store then or before. */
  readonly changedAt: number
}

export interface StandingGates {
  readonly gates: readonly StandingGate[]
  /** The id of the store; null if it was not needed, because no gate is open. */
  readonly store: string | null
  /** True if the known gates hold the session and this store is not the one that they were read from. */
  readonly isReplaced: boolean
}

/** So much of a gate's reason is shown to the agent that it holds, and written down beside the store. */
export const SHOWN_REASON_CHARACTERS = 600

/** An open gate with all that has to be known of it while the store cannot be read. */
/** A shadow of an earlier version does not name the author. */
export interface StandingGate extends Partial<GateAuthor> {
  /** A durable gate's id, or the name of a session gate. */
  readonly name: string
  readonly hook: GateHook
  readonly tool: string | null
  readonly mode: GateMode
  readonly reason: string
  readonly onUnavailable: UnavailablePolicy
  /** When it gives way by itself; null where it never does. */
  readonly until: number | null
}
