import type { Agent } from '../../model/agent.ts'
import type { Session } from '../../model/session.ts'

/**
 * Agents and their names. The shelf keeps ids unique; the caller keeps names unmistakable with `lookalikes`.
 *
 * On PostgreSQL a transaction that finds no agent by `get`, or calls `lookalikes`, holds a lock on all names until it
 * ends. Otherwise two transactions could each find free a name that looks like the other's.
 */
export interface AgentShelf {
  /** Also finds removed agents. */
  get(id: string): Promise<Agent | undefined>
  /** Ordered by id. */
  list(params: { readonly removed: boolean }): Promise<readonly Agent[]>
  /** Agents with what waits for each and its latest open session, ordered by id: one statement for all of them. */
  statuses(params: ListStatuses): Promise<readonly AgentAtWork[]>
  /** Whether an agent has not taken up every broadcast yet. */
  isBehind(id: string): Promise<boolean>
  /**
   * Locks inboxes until the transaction ends, in the order in which every push locks them: people last. So a push may
   * tell people after it locked its recipients. Returns those of `ids` that exist, removed or not; on SQLite all
   * of them, because a writing transaction has the store to itself and need not look.
   */
  lock(params: LockAgents): Promise<readonly string[]>
  /** Agents, including removed ones, whose id or display name looks the same. */
  lookalikes(skeletons: readonly string[]): Promise<readonly Agent[]>
  /** False if the id is taken; then nothing is written. The broadcast cursor starts at the present or at zero. */
  insert(params: NewAgent): Promise<boolean>
  /** Repeatable. Does nothing if the agent does not exist, like the two below. */
  update(params: { readonly id: string; readonly displayName: string; readonly skeleton: string }): Promise<void>
  /** Makes a registered person an owner. */
  setOwner(params: { readonly id: string }): Promise<void>
  /** Null brings the agent back; its broadcast cursor then starts at the present. */
  setRemoved(params: { readonly id: string; readonly removedAt: number | null }): Promise<void>
  /**
   * Makes the agent's quiet file if nothing waits for it, and returns true if it did. Nothing may wait before this
   * transaction or at this point of it: no pending delivery (expired or not), no broadcast, no open offer, no gate that
   * is open or has a time to come, no plan. A later write that concerns the agent removes the file before it commits.
   *
   * Always false on PostgreSQL, because other machines write to it.
   */
  markQuiet(params: MarkQuiet): Promise<boolean>
}

export interface ListStatuses {
  readonly removed: boolean
  readonly now: number
  /** Only those whose id comes after this one. */
  readonly after?: string | undefined
  readonly limit?: number | undefined
  /** Only those in whose id or name this stands; ASCII letters in any case. */
  readonly search?: string | undefined
}

export interface AgentAtWork {
  readonly agent: Agent
  readonly pending: number
  readonly session: Session | null
}

export interface LockAgents {
  readonly ids: readonly string[]
  /** True if people may be told. If machines and people are among the ids, every person is locked with them. */
  readonly withPeople: boolean
  /** True if the transaction broadcasts: the counter of broadcasts is locked first. */
  readonly withBroadcasts: boolean
}

export interface MarkQuiet {
  readonly agent: string
  /** Absolute paths of the spool files that must be empty as well while the agent is quiet. */
  readonly spools: readonly string[]
}

export interface NewAgent {
  readonly agent: Agent
  readonly idSkeleton: string
  readonly nameSkeleton: string
  /** True if the agent also gets the broadcasts of the past. */
  readonly withBroadcasts: boolean
}
