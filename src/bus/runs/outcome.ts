import { constants } from 'node:os'
import type { RunStatus } from './run-info.ts'

/** How a command has ended. */
export interface RunOutcome {
  /** Null where a signal ended it, or it could not be started. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** Why it could not be started. */
  readonly failure: string | null
  readonly durationMs: number
}

/** What shells say of a command that is there and cannot be run. */
const NOT_EXECUTABLE = 126
const SIGNALLED = 128

export function statusOf({ exitCode, signal }: RunOutcome): RunStatus {
  if (signal !== null) return 'killed'
  return exitCode === 0 ? 'completed' : 'failed'
}

/** The code by which whoever ran the command tells how it ended, as shells do. */
export function exitCodeOf({ exitCode, signal }: RunOutcome): number {
  if (signal !== null) return SIGNALLED + constants.signals[signal]
  return exitCode ?? NOT_EXECUTABLE
}
