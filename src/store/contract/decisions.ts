import type { Decision, DecisionAnswer, DecisionState } from '../../model/decision.ts'

/** Questions to people, each of which holds a gate. A decision ends once: `close` tells who was first. */
export interface DecisionShelf {
  insert(decision: Decision): Promise<void>
  /** Within a transaction the decision is locked until that ends. */
  get(id: string): Promise<Decision | undefined>
  /** The decision that holds a gate. Within a transaction it is locked until that ends. */
  ofGate(gateId: string): Promise<Decision | undefined>
  /** Newest first. */
  list(params: {
    readonly agent?: string
    /** Only decisions that this agent asked for, or is asked. */
    readonly concerning?: string
    readonly states: readonly DecisionState[]
    readonly limit: number
  }): Promise<readonly Decision[]>
  /** Puts an open decision to others. Repeatable. */
  putTo(params: { readonly id: string; readonly asked: readonly string[] }): Promise<void>
  /** Ends an open decision; false if it has ended already. */
  close(params: {
    readonly id: string
    readonly state: DecisionState
    readonly answer: DecisionAnswer | null
  }): Promise<boolean>
  /** Whether an agent has asked anything since a time that it did not cancel itself. */
  hasAsked(params: { readonly agent: string; readonly since: number }): Promise<boolean>
}
