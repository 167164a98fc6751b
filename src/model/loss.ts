/** The job of upkeep that is due while a loss was noticed and nobody has been told. */
export const LOSS_JOB = 'loss'

/** Acknowledged changes that were missing when a store was opened. */
export interface Loss {
  /** How many events were missing, of all losses so far. */
  readonly count: number
  /** When the last loss was noticed. */
  readonly at: number
}
