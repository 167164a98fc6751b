import type { Decision, DecisionOption } from './decision.ts'

/** The operations on decisions. */
export interface Decisions {
  /** Asks people; the asker is held until one of them answers. All in one transaction. */
  create(input: CreateDecision): Promise<Decision>
  list(input?: {
    readonly agent?: string
    /** Only questions that this agent asked or was asked. */
    readonly concerning?: string
    readonly all?: boolean
    readonly limit?: number
  }): Promise<readonly Decision[]>
  show(input: DecisionRef): Promise<Decision>
  /** Records the answer, opens the gate and tells the asker, in one transaction. The first answer wins. */
  respond(input: RespondDecision): Promise<Decision>
  /** Resolves when the question is no longer open; throws TIMED_OUT where that takes too long. */
  await(input: DecisionRef & { readonly timeoutMs: number; readonly signal?: AbortSignal }): Promise<Decision>
  /** The question need not be answered any more: its gate is waived. */
  cancel(input: DecisionRef & { readonly reason?: string }): Promise<Decision>
}

export interface DecisionRef {
  readonly id: string
}

export interface CreateDecision {
  /** Who asks. Absent: the caller. */
  readonly agent?: string
  readonly question: string
  readonly context?: string
  readonly options?: readonly (Pick<DecisionOption, 'key' | 'label'> & { readonly description?: string })[]
  readonly defaultOption?: string
  readonly deadlineMs?: number
  /** Whether an answer may be text alone; where there are no options it must be. */
  readonly allowsText?: boolean
  /** People. Absent: the owners, else everybody human. */
  readonly ask?: readonly string[]
  readonly mode?: 'strict' | 'soft'
}

export interface RespondDecision extends DecisionRef {
  readonly select?: string
  readonly text?: string
}
