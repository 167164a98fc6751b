import type { Agent } from '../../model/agent.ts'

export interface AgentShelf {
  /** Also finds removed agents. */
  get(id: string): Promise<Agent | undefined>
  /** By id order. */
  list(params: { readonly removed: boolean }): Promise<readonly Agent[]>
  /** Agents that have not taken up every broadcast yet. */
  behind(): Promise<readonly string[]>
  /** Agents, removed ones too, whose id or display name looks the same. */
  lookalikes(skeletons: readonly string[]): Promise<readonly Agent[]>
  /** Inserts it unless the id is taken; false where it was. The broadcast cursor starts at the present or at zero. */
  insert(params: NewAgent): Promise<boolean>
  update(params: { readonly id: string; readonly displayName: string; readonly skeleton: string }): Promise<void>
  /** Makes a registered person an owner. */
  setOwner(params: { readonly id: string }): Promise<void>
  setRemoved(params: { readonly id: string; readonly removedAt: number | null }): Promise<void>
  /**
   * Makes the agent's quiet file where nothing waits for it: nothing is pending, whether its time is over or not, or
   * was broadcast, and no offer and no gate of it is open or has a time to come, neither before this transaction nor by
   * now. True where it was made. Whatever concerns the agent removes the file before it is committed. Always false on
   * PostgreSQL, to which other machines write.
   */
  settle(params: SettleAgent): Promise<boolean>
}

export interface SettleAgent {
  readonly agent: string
  /** Absolute paths of the files that must be empty too while it is quiet. */
  readonly spools: readonly string[]
}

export interface NewAgent {
  readonly agent: Agent
  readonly idSkeleton: string
  readonly nameSkeleton: string
  readonly withBroadcasts: boolean
}
