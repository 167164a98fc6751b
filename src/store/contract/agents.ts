import type { Agent } from '../../model/agent.ts'

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
  /** Ids of the agents that have not taken up every broadcast yet, in order. */
  behind(): Promise<readonly string[]>
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
