/** One token bucket for each pair of agents, refilled by time. */
export interface BudgetShelf {
  /**
   * Takes one token of the pair's bucket; false if it is empty. The recipient's inbox and the bucket are locked until the
   * transaction ends, and a transaction that is rolled back gives the token back. Not repeatable.
   */
  take(params: {
    readonly from: string
    readonly to: string
    readonly now: number
    readonly burst: number
    readonly perMinute: number
  }): Promise<boolean>
}
