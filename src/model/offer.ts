/**
 * A drain's lease on the deliveries it takes, as one thing with one life:
 *
 *   open ─printed→ open (printedAt set) ─confirm→ confirmed
 *     └──release→ released · lapse→ lapsed
 *
 * Only a printed offer is ever confirmed. An unprinted one lapses after 30 s; a printed one when its session's host
 * is gone, or after 30 min, or after the shorter lease that whoever works on it has asked for and not renewed.
 * Confirming the offer makes all its deliveries `seen`; releasing it makes them pending.
 */
export interface Offer {
  readonly id: string
  readonly agent: string
  readonly sessionId: string | null
  /** Where it was made: `cli`, `session.start`, `prompt.submit`, … */
  readonly via: string
  readonly offeredAt: number
  readonly printedAt: number | null
  readonly closedAt: number | null
  readonly outcome: OfferOutcome | null
  /** What proved that it was consumed, or why it was given back. */
  readonly evidence: string | null
  readonly expiresAt: number
  readonly size: number
}

/**
 * `via` of what an agent's own loop takes. Only the loop knows when that is dealt with, so the end of a session, which may
 * have the name of another run, proves nothing.
 */
export const VIA_AGENT = 'agent'

/** By what tools offer: the end of the very tool that shows something comes before the model is asked again. */
export const VIA_TOOL = 'mcp'

export type OfferOutcome = 'confirmed' | 'released' | 'lapsed'
