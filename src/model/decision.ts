import type { Trust } from './caller.ts'

/**
 * A question to people, its options, its gate, and its answer. The first answer wins.
 *
 *   open ─respond→ answered · ─deadline with a default→ answered · ─deadline→ expired · ─cancel→ cancelled
 */
export const DECISION_STATES = ['open', 'answered', 'expired', 'cancelled'] as const
export type DecisionState = (typeof DECISION_STATES)[number]

export interface Decision {
  readonly id: string
  /** Who asks, and is held until there is an answer. */
  readonly agent: string
  readonly gateId: string
  readonly question: string
  readonly context: string | null
  readonly options: readonly DecisionOption[]
  /** The option that is taken when the deadline is over. */
  readonly defaultOption: string | null
  readonly dueAt: number | null
  /** Whether an answer may be text instead of an option. */
  readonly allowsText: boolean
  /** The people who may answer. */
  readonly asked: readonly string[]
  readonly state: DecisionState
  /** The author of its words: the asker itself, or whoever asked in its name. */
  readonly createdBy: string
  readonly createdTrust: Trust
  readonly createdAt: number
  readonly answer: DecisionAnswer | null
}

export interface DecisionOption {
  readonly key: string
  readonly label: string
  readonly description: string | null
}

export interface DecisionAnswer {
  readonly by: string
  readonly verified: boolean
  readonly at: number
  /** The option's key; null where the answer is text alone. */
  readonly selected: string | null
  readonly text: string | null
}

/** An option as people read it. */
export function describeOption({ key, label, description }: DecisionOption): string {
  return `${key}) ${label}${description ? ` (${description})` : ''}`
}

/** An answer in words of its author: the key of the chosen option, or the text. The labels of options are the asker's. */
export function describeAnswer({ selected, text }: DecisionAnswer): string {
  return selected === null ? (text ?? '') : `option ${selected}`
}
