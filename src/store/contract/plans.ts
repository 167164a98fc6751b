import type { Plan } from '../../model/sources/plan.ts'

export interface PlanShelf {
  insert(plan: Plan): Promise<void>
  /** Within a transaction it is locked until that ends. */
  get(id: string): Promise<Plan | undefined>
  /** Within a transaction it is locked until that ends. */
  ofName(params: { readonly agent: string; readonly name: string }): Promise<Plan | undefined>
  /**
   * Locks plans until the transaction ends, in one order whoever asks: two who change several would wait for each other
   * otherwise. It takes those of these ids, and of these agents those of these names.
   */
  lock(params: {
    readonly ids: readonly string[]
    readonly agents: readonly string[]
    readonly names: readonly string[]
  }): Promise<void>
  /** Soonest first, those without an instant last; `all`: also those that have none and are not paused. */
  list(params: { readonly agent?: string; readonly all: boolean; readonly limit: number }): Promise<readonly Plan[]>
  /** How many of the agent's have an instant to come. Within a transaction nobody else adds one until that ends. */
  count(params: { readonly agent: string }): Promise<number>
  /** Writes every field of a plan that is there; `about`: also what it reminds of, which is otherwise left as it is. */
  update(plan: Plan & { readonly about?: string }): Promise<void>
  /** Deletes these; or those that remind of these things and have an instant to come. */
  delete(params: { readonly ids: readonly string[] } | { readonly about: readonly string[] }): Promise<void>
  /** Deletes all of one agent, as when it is removed. */
  deleteOf(params: { readonly agent: string }): Promise<void>
  /** Plans whose instant has come and whose gate, if they have one, is not open; soonest first. A look: nothing is locked. */
  due(params: DuePlans): Promise<readonly Plan[]>
  /**
   * The plan, if it is still due; locked until the transaction ends. Undefined where it is not, or another server has it:
   * it is left to that one.
   */
  claim(params: { readonly id: string; readonly now: number }): Promise<Plan | undefined>
  /** When the agent's next plan fires that no gate keeps; undefined where none will. */
  nextAt(params: { readonly agent: string }): Promise<number | undefined>
  /** Removes plans that have no instant to come since before a time; at most `limit`. */
  reap(params: { readonly finishedBefore: number; readonly limit: number }): Promise<number>
}

export interface DuePlans {
  readonly now: number
  readonly limit: number
  /** Only of this agent. */
  readonly agent?: string
  /** Not of these agents. */
  readonly without?: readonly string[]
}
