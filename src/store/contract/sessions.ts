import type { Session } from '../../model/session.ts'

/** Sessions of agents in their hosts, and where each is in its turns. Every method is one atomic step. */
export interface SessionShelf {
  get(id: string): Promise<Session | undefined>
  /**
   * Inserts the session, or updates its host process and last event. Reopens an ended one. Repeatable. With `clock`, times
   * of a known session that lie after `after` become `before`: the clock was set back since.
   */
  put(session: Session & { readonly clock?: { readonly after: number; readonly before: number } }): Promise<void>
  /** Returns the session's agent; undefined if it does not exist, has ended already, or is not of the process `pid`. */
  end(params: { readonly id: string; readonly at: number; readonly pid?: number }): Promise<string | undefined>
  /** Sets where the session is in its turns and returns it; undefined if it does not exist. Absent fields stay. */
  setTurn(params: TurnParams): Promise<Session | undefined>
  /** Whether a gate may hold the session: an open gate of its agent, or one that the session registered. */
  isGated(params: { readonly agent: string; readonly sessionId: string }): Promise<boolean>
  /** When the session's first handoff offer was closed: 0 while one is open, undefined if it had none. */
  inheritedAt(params: { readonly sessionId: string }): Promise<number | undefined>
  /**
   * Remembers a firing of a hook; true if the session has had the same one since `since`. The session is locked until
   * the transaction ends, so of two hooks that fire for one event exactly one gets false.
   */
  hasFired(params: {
    readonly id: string
    readonly firing: string
    readonly at: number
    readonly since: number
  }): Promise<boolean>
  /** The open sessions of one agent or of all, most recent event first; at most 1,000. */
  open(params: { readonly agent?: string }): Promise<readonly Session[]>
  /**
   * The sessions of agents and services in these host processes on any machine, open ones first, most recent event first;
   * at most 1,000. Those of people are left out: they say nothing of a process, and could crowd out the others.
   */
  ofProcesses(params: { readonly pids: readonly number[] }): Promise<readonly Session[]>
  /**
   * Open sessions with a host process on the given machine, by id; `after` is exclusive.
   */
  withHost(params: {
    readonly machine: string
    readonly after: string
    readonly limit: number
  }): Promise<readonly Session[]>
}

export interface TurnParams {
  readonly id: string
  readonly idleSince?: number | null
  /** Resets the count to zero. */
  readonly continuations?: 'none'
  /**
   * Adds one to the count, unless that was done since the event began. Then the same event is being answered twice, and
   * the call is safe to repeat.
   */
  readonly continued?: { readonly at: number; readonly begunAt: number }
  /** Raises the count to this number, and never lowers it: stops that were delayed while the store was unavailable. */
  readonly minContinuations?: number
  readonly stoppedAt?: number
}
