import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'

/** How many things a slice does at most. */
export const SLICE = 500

/** Does one slice of a job, in one transaction. */
export type RunSlice = (ctx: Context, tx: Shelves) => Promise<Slice>

/** What a slice of a job has done. */
export interface Slice {
  readonly done: number
  readonly hasMore: boolean
  /** The names to ring after the commit. */
  readonly rings: readonly string[]
}
