/** How far the plots look back. */
export const METRIC_WINDOWS = ['hour', 'day', 'week'] as const
export type MetricWindow = (typeof METRIC_WINDOWS)[number]

export interface Metrics {
  /** What has happened over a while, in at most 120 steps of one length. */
  series(input?: { readonly window?: MetricWindow }): Promise<MetricSeries>
}

/**
 * Columns for plots: each list has a value for every step, the last of which is the present one. Null where there was
 * nothing to measure.
 */
export interface MetricSeries {
  readonly window: MetricWindow
  readonly stepMs: number
  /** When each step begins. */
  readonly at: readonly number[]
  /** Messages that were pushed. */
  readonly pushed: readonly number[]
  /** Stored and not seen at the end of each step, by priority from 0 to 4. */
  readonly pending: readonly (readonly number[])[]
  /** How long the oldest of them had waited then. */
  readonly oldestMs: readonly (number | null)[]
  /** From the push to being seen, of what was seen in the step. */
  readonly seenMs: Percentiles
  /** From an offer to a host's session until its text was printed whole. What a hook takes before that nobody writes down. */
  readonly hookMs: Percentiles
  /** Messages whose offer was given back or lapsed, so that they are shown again. */
  readonly redelivered: readonly number[]
  /** About how many tokens of messages each agent was shown; those with the most first. */
  readonly tokens: readonly AgentTokens[]
  /** True where more has happened than was looked at: what came first is then missing. */
  readonly isPartial: boolean
}

export interface Percentiles {
  readonly p50: readonly (number | null)[]
  readonly p95: readonly (number | null)[]
}

export interface AgentTokens {
  readonly agent: string
  readonly shown: readonly number[]
}
