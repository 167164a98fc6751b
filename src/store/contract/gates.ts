import type { Gate, GateState, GateStep, SessionGate } from '../../model/gate.ts'

export interface GateShelf {
  /** `nextAt` is when the gate has to be looked at again by itself; null where only others can move it. */
  insert(params: { readonly gate: Gate; readonly nextAt: number | null }): Promise<void>
  /** Within a transaction it is locked until that ends. */
  get(id: string): Promise<Gate | undefined>
  /** Newest first. */
  list(params: ListGates): Promise<readonly Gate[]>
  /** The open gates of an agent, oldest first. */
  openOf(params: { readonly agent: string }): Promise<readonly Gate[]>
  /**
   * Open gates that wait for this very thing, oldest first; `isPrefix`: for anything that begins with it. Locked until
   * the transaction ends.
   */
  awaiting(params: { readonly awaits: string; readonly isPrefix?: boolean }): Promise<readonly Gate[]>
  /** Open gates that wait for an event of a service, whatever else they ask of it, oldest first. Locked likewise. */
  awaitingService(params: { readonly name: string }): Promise<readonly Gate[]>
  /** Gates whose time has come, soonest first; of all agents or of one. Locked until the transaction ends. */
  due(params: { readonly now: number; readonly limit: number; readonly agent?: string }): Promise<readonly Gate[]>
  /** Moves a gate from one of `from`; undefined where it is in another state by now. */
  close(params: CloseGate): Promise<Gate | undefined>
  /** Notes that people were reminded, or somebody higher was told, and when to look again. */
  tend(params: {
    readonly id: string
    readonly remindedAt: number | null
    readonly escalateAt: number | null
    readonly nextAt: number | null
  }): Promise<void>
  record(params: { readonly gateId: string } & GateStep): Promise<void>
  /** Oldest first. */
  steps(id: string): Promise<readonly GateStep[]>
  /** Registers a gate of one session, or changes it. */
  register(gate: SessionGate): Promise<void>
  registered(params: { readonly sessionId: string }): Promise<readonly SessionGate[]>
  /** Sets a mark of a session; false where it has that mark already. */
  mark(params: SessionMark): Promise<boolean>
  marks(params: { readonly sessionId: string }): Promise<readonly SessionMark[]>
  /**
   * Removes gates that were closed before a time, with their decisions; at most `limit`. A breached one stays while
   * its question is open or another gate waits for it.
   */
  reap(params: { readonly closedBefore: number; readonly limit: number }): Promise<number>
}

/** A session has done what a gate asks for, or has been warned of a gate. */
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
  /** Only gates that hold this agent, that it has set, or that it is told of. */
  readonly concerning?: string
  /** Only gates that wait for this very thing. */
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
  /** When it has to be looked at once more although it is closed; absent: never. */
  readonly nextAt?: number
}
