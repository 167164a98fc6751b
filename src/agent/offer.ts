import type { Sleep } from '../kit/clock/sleep.ts'
import { createBackoff, type Random } from '../kit/pure/backoff.ts'
import { startOf } from '../kit/pure/cut.ts'
import { reasonOf } from '../kit/pure/reason-of.ts'
import { PosternError } from '../model/errors.ts'
import type { Offer } from '../model/offer.ts'
import type { Postern } from '../model/postern.ts'

export interface Holding {
  readonly postern: { readonly inbox: Pick<Postern['inbox'], 'printed'> }
  readonly offerId: string
  /** How often it is held on to, or more often where it lasts for less. */
  readonly holdMs: number
  /** When for the first time; absent: at once. */
  readonly firstMs?: number
  /** How long it lasts without that; absent: as long as printed offers do. */
  readonly leaseMs?: number
  readonly sleep: Sleep
}

/** From when it was handed over until it is done with, a batch is held: no lease ends under whoever works on it. */
export function holdOn(holding: Holding): { begin(): void; end(): Promise<void> } {
  const { postern, offerId, firstMs = 0, leaseMs, sleep } = holding
  let { holdMs } = holding
  const done = new AbortController()
  let running: Promise<void> = Promise.resolve()
  async function hold(): Promise<void> {
    if (firstMs > 0) await sleep(firstMs, { signal: done.signal })
    while (!done.signal.aborted) {
      // One time that fails is made good by the next.
      const held = await postern.inbox.printed({ offerId, ...(leaseMs !== undefined && { leaseMs }) }).catch(() => null)
      // It may last for less than was asked for.
      if (held) holdMs = Math.min(holdMs, lastingMs(held) / 3)
      await sleep(holdMs, { signal: done.signal })
    }
  }
  return {
    begin() {
      running = hold()
    },
    async end() {
      done.abort()
      await running
    },
  }
}

function lastingMs({ printedAt, offeredAt, expiresAt }: Offer): number {
  return expiresAt - (printedAt ?? offeredAt)
}

const INSIST_TRIES = 8

export interface Insisting {
  readonly sleep: Sleep
  readonly random: Random
  /** Given: there is no time any more to wait for a store that stays away. */
  readonly signal: AbortSignal
}

/** What was done must not be done once more only because the store was away. An offer that is gone is nobody's fault. */
export async function insist(call: () => Promise<unknown>, { sleep, random, signal }: Insisting): Promise<void> {
  const backoff = createBackoff({ minMs: 100, maxMs: 10_000, random })
  for (let tries = 1; ; tries++) {
    try {
      await call()
      return
    } catch (error) {
      if (error instanceof PosternError && error.code === 'OFFER_NOT_FOUND') return
      if (!isPassing(error) || (signal.aborted && tries >= INSIST_TRIES)) throw error
      await sleep(backoff.next())
    }
  }
}

/** A store that is only busy, or away for a while, comes back. */
export function isPassing(error: unknown): boolean {
  return error instanceof PosternError && error.retryable
}

/** A receipt has room for this many characters, even if each takes three bytes. */
const EVIDENCE_CHARACTERS = 300

/** Why something failed, cut and cleaned to fit into a receipt. */
export function failureEvidence(error: unknown): string {
  return startOf(reasonOf(error).toWellFormed(), EVIDENCE_CHARACTERS).replaceAll('\0', ' ').trim() || 'it failed'
}
