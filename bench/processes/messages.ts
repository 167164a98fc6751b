import type { SystemName } from '../systems/all.ts'
import type { SystemOptions } from '../systems/system.ts'

/** What a helper process is started with: which system, where it lives, and how it is used. */
export interface Errand {
  readonly system: SystemName
  readonly place: string
  readonly options?: SystemOptions
}

export type WriterOrder =
  /** So many pushes, as fast as they are answered. */
  | { readonly pushes: number }
  /** Pushes at an even pace for a while. */
  | { readonly periodMs: number; readonly forMs: number }

export interface WriterReport {
  /** Milliseconds of every push. */
  readonly took: readonly number[]
}

export interface WaiterReport {
  /** Milliseconds from before the push to the parsed body. */
  readonly wokeAfter: number
}

export interface CpuReport {
  /** Milliseconds of processor time since the report before. */
  readonly cpuMs: number
}

/** So many pushes under way at any time, for a while, to so many agents. */
export interface FloodOrder {
  readonly inFlight: number
  readonly forMs: number
  readonly agents: number
}

export interface FloodReport {
  readonly done: number
}
