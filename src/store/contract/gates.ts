import type { Gate, GateState, GateStep, SessionGate } from '../../model/gate.ts'

/**
 * Durable gates of agents, with their history, and gates that a session registered for itself. Only an open gate holds.
 * `close` is the one way out of a state, and exactly one caller gets through.
 */
export interface GateShelf {
  /** `nextAt` is when upkeep has to check the gate; null if time alone cannot change it. */
  insert(params: { readonly gate: Gate; readonly nextAt: number | null }): Promise<void>
  /** Within a transaction the gate is locked until that ends. */
  get(id: string): Promise<Gate | undefined>
  /** Newest first. */
  list(params: ListGates): Promise<readonly Gate[]>
  /** The open gates of an agent, oldest first. */
  openOf(params: { readonly agent: string }): Promise<readonly Gate[]>
  /**
   * Open gates that wait for exactly this condition, oldest first; with `isPrefix`, for any that begins with it. Locked
   * until the transaction ends.
   */
  awaiting(params: { readonly awaits: string; readonly isPrefix?: boolean }): Promise<readonly Gate[]>
  /**
   * Open gates that wait for an event of a service, whatever else they require of it, oldest first. Locked until the
   * transaction ends.
   */
  awaitingService(params: { readonly name: string }): Promise<readonly Gate[]>
  /**
   * Gates that are due, soonest first, of one agent or of all. Locked until the transaction ends; gates that another
   * transaction has locked are skipped.
   */
  due(params: { readonly now: number; readonly limit: number; readonly agent?: string }): Promise<readonly Gate[]>
  /**
   * Open gates that wait for a reply to a message that nobody will be shown any more, oldest first. Locked until the
   * transaction ends; gates that another transaction has locked are skipped.
   */
  unanswerable(params: { readonly limit: number }): Promise<readonly Gate[]>
  /** Moves a gate out of one of `from` and returns it; undefined if it is in another state by now. */
  close(params: CloseGate): Promise<Gate | undefined>
  /** Notes that people were reminded or the gate was escalated, and when to check it again. Repeatable. */
  tend(params: {
    readonly id: string
    readonly remindedAt: number | null
    readonly escalateAt: number | null
    readonly nextAt: number | null
  }): Promise<void>
  /** Adds a step to a gate's history. Not repeatable. */
  record(params: { readonly gateId: string } & GateStep): Promise<void>
  /**
   * Counts a step in the one row of its kind and caller that stands for many, and describes the last of them there. The
   * first call adds that row. Not repeatable.
   */
  count(params: { readonly gateId: string } & GateStep): Promise<void>
  /** Oldest first. */
  steps(id: string): Promise<readonly GateStep[]>
  /** Registers a gate of one session, or changes the one of that name. Repeatable. */
  register(gate: SessionGate): Promise<void>
  /** By name. */
  registered(params: { readonly sessionId: string }): Promise<readonly SessionGate[]>
  /** Sets a mark of a session; false if the session has that mark already. */
  mark(params: SessionMark): Promise<boolean>
  /** By name. */
  marks(params: { readonly sessionId: string }): Promise<readonly SessionMark[]>
  /**
   * Removes gates that were closed before a time, with their decisions, at most `limit`, and returns how many. A
   * breached gate stays while its question is open or another gate waits for it.
   */
  reap(params: { readonly closedBefore: number; readonly limit: number }): Promise<number>
}

/** A session did what a gate asks for, or was warned of a gate. */
export interface SessionMark {
  readonly sessionId: string
  /** A session gate's name, or a durable gate's id. */
  readonly name: string
  readonly mark: 'done' | 'warned'
  readonly at: number
  readonly by: string
}

export interface ListGates {
  readonly agent?: string
  /** Only gates that hold this agent, that it set, or that it is told of. */
  readonly concerning?: string
  /** Only gates that wait for exactly this condition. */
  readonly awaits?: string
  readonly states: readonly GateState[]
  readonly limit: number
}

export interface CloseGate {
  readonly id: string
  readonly from: readonly GateState[]
  readonly to: GateState
  readonly at: number
  readonly by: string
  readonly reason: string
  /** When upkeep has to check the gate once more although it is closed; absent: never. */
  readonly nextAt?: number
}
