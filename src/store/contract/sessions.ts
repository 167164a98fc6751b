import type { Session } from '../../model/session.ts'

export interface SessionShelf {
  get(id: string): Promise<Session | undefined>
  /** Inserts the session or updates its host process and time of last event; an ended one goes on. */
  put(session: Session): Promise<void>
  /** Returns whose session it was; undefined where it had ended or is not there. */
  end(params: { readonly id: string; readonly at: number }): Promise<string | undefined>
  /** Where the session is in its turns. Absent: as it was. Returns it; undefined where it is not there. */
  setTurn(params: TurnParams): Promise<Session | undefined>
  /** Whether any gate may hold the session: an open one of its agent, or one that it has registered. */
  isGated(params: { readonly agent: string; readonly sessionId: string }): Promise<boolean>
  /** When the first offer of a handoff to the session was closed: 0 while one is open; undefined where it had none. */
  inheritedAt(params: { readonly sessionId: string }): Promise<number | undefined>
  /** Remembers a firing; true where the session has had the same one since `since`. */
  hasFired(params: {
    readonly id: string
    readonly firing: string
    readonly at: number
    readonly since: number
  }): Promise<boolean>
  /** Not ended, most recent event first; of one agent or of all. */
  open(params: { readonly agent?: string }): Promise<readonly Session[]>
  /** Not ended, with a host process on this machine; least recent event first. Locked until the transaction ends. */
  withHost(params: { readonly machine: string; readonly limit: number }): Promise<readonly Session[]>
}

export interface TurnParams {
  readonly id: string
  readonly idleSince?: number | null
  /** Back at nothing. */
  readonly continuations?: 'none'
  /** Counted up by one, unless that was done since the event began: then the same event is answered twice. */
  readonly continued?: { readonly at: number; readonly begunAt: number }
  /** The count rises to this number, and never falls to it: stops that were put off without the store. */
  readonly minContinuations?: number
  readonly stoppedAt?: number
}
