import type { Plan } from '../../model/sources/plan.ts'

/**
 * Plans: what an agent is reminded of, and when. A plan fires once per instant on any number of servers, because a
 * server fires only a plan that `claim` gave it.
 */
export interface PlanShelf {
  insert(plan: Plan): Promise<void>
  /** Within a transaction the plan is locked until that ends. */
  get(id: string): Promise<Plan | undefined>
  /** Within a transaction the plan is locked until that ends. */
  ofName(params: { readonly agent: string; readonly name: string }): Promise<Plan | undefined>
  /**
   * Locks plans until the transaction ends, always in the order of their ids. Without it, two transactions that change
   * several plans could wait for each other. Locks the plans with these ids, and those of these agents with these names.
   */
  lock(params: {
    readonly ids: readonly string[]
    readonly agents: readonly string[]
    readonly names: readonly string[]
  }): Promise<void>
  /** Soonest first, plans without an instant last; `all` includes finished ones, which have none and are not paused. */
  list(params: { readonly agent?: string; readonly all: boolean; readonly limit: number }): Promise<readonly Plan[]>
  /** How many plans of the agent have an instant to come. Within a transaction nobody else can add one until it ends. */
  count(params: { readonly agent: string }): Promise<number>
  /** Writes every field of an existing plan, and what it reminds of if `about` is given. Repeatable. */
  update(plan: Plan & { readonly about?: string }): Promise<void>
  /** Deletes these plans, or those that remind of these things and have an instant to come. Repeatable. */
  delete(params: { readonly ids: readonly string[] } | { readonly about: readonly string[] }): Promise<void>
  /** Deletes all plans of one agent, as its removal does. */
  deleteOf(params: { readonly agent: string }): Promise<void>
  /** Due plans whose gate, if they have one, is not open; soonest first. Locks nothing: call `claim` before firing. */
  due(params: DuePlans): Promise<readonly Plan[]>
  /**
   * The plan if it is still due, locked until the transaction ends. Undefined if it is not, or if another server has it
   * locked: that server fires it.
   */
  claim(params: { readonly id: string; readonly now: number }): Promise<Plan | undefined>
  /** When the agent's next plan fires that no gate holds back; undefined if none will. */
  nextAt(params: { readonly agent: string }): Promise<number | undefined>
  /** Removes plans that were finished before a time, at most `limit`, and returns how many. */
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
