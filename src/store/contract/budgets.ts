export interface BudgetShelf {
  /** Takes one token of the pair's bucket; false where it is empty. */
  take(params: {
    readonly from: string
    readonly to: string
    readonly now: number
    readonly burst: number
    readonly perMinute: number
  }): Promise<boolean>
}
