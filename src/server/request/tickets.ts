import { randomToken } from '../../kit/node/crypto.ts'
import type { Identity } from '../../model/network/tokens.ts'

const LIFETIME_MS = 60_000
const KEPT = 10_000
const CHARACTERS = 52

/**
 * Credentials that may stand in a URL, where a browser can send no header: each is good once and for a short time, so that
 * what stays behind in histories and logs is worth nothing.
 */
export interface Tickets {
  issue(bearer: Bearer): { readonly ticket: string; readonly expiresAt: number }
  /** Whose it is; undefined for one that is unknown, used or too old. */
  redeem(ticket: string): Bearer | undefined
}

/** Whom a ticket is for, and the token that it was got with: it is good no longer than that. */
export interface Bearer {
  readonly identity: Identity
  /** Absent where the socket was enough. */
  readonly token?: string
}

export function createTickets(now: () => number, lifetimeMs = LIFETIME_MS): Tickets {
  const open = new Map<string, { readonly bearer: Bearer; readonly expiresAt: number }>()

  return {
    issue(bearer) {
      const ticket = `tkt_${randomToken(CHARACTERS)}`
      const expiresAt = now() + lifetimeMs
      open.set(ticket, { bearer, expiresAt })
      for (const [each, { expiresAt }] of open) {
        if (expiresAt > now() && open.size <= KEPT) break
        open.delete(each)
      }
      return { ticket, expiresAt }
    },

    redeem(ticket) {
      const found = open.get(ticket)
      open.delete(ticket)
      return found && found.expiresAt > now() ? found.bearer : undefined
    },
  }
}
