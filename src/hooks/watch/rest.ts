import type { Liveness, Session } from '../../model/session.ts'
import { findHost } from '../hosts/hosts.ts'

export type LiveSession = Session & { readonly liveness: Liveness }

/** What is known of an agent's sessions at one moment. */
export interface Sight {
  readonly now: number
  readonly own: LiveSession
  /** All its sessions, this one too. */
  readonly sessions: readonly LiveSession[]
  /** When any of the agent's hooks was last heard of, also one that had nothing to ask the store. */
  readonly heardAt: number
  /** Since when mail has been waiting, as far as this watcher has seen. */
  readonly waitingSince: number
}

/** Hooks answer within this time: until then one may still be about to show what seems to wait. */
const SETTLE_MS = 1_500

/**
 * No host says that a turn was broken off by its user or by an error of the model. A session that has not been heard of
 * for so long is taken to be at rest; at worst it is told of its mail in the middle of a long tool.
 */
const STALE_MS = 10 * 60_000

/** Sessions of one agent are woken one after the other, the next one when the mail still waits after this. */
const TURN_MS = 20_000

/** Whether this session is to be woken now: it rests, and none that came to rest later has its turn before. */
export function isToBeWoken(sight: Sight): boolean {
  if (!isAtRest(sight)) return false
  const before = sight.sessions.filter((other) => other.id !== sight.own.id && comesBefore(other, sight.own)).length
  return sight.now - sight.waitingSince >= before * TURN_MS
}

function isAtRest({ now, own, sessions, heardAt, waitingSince }: Sight): boolean {
  const notedAt = Math.max(...sessions.map(({ lastEventAt, idleSince }) => Math.max(lastEventAt, idleSince ?? 0)))
  if (now - Math.max(heardAt, own.lastEventAt) >= STALE_MS) return true
  // Hooks that find nothing to do leave only a trace of having been there. Whose it was the next one will tell: now that
  // mail waits it asks the store.
  if (own.idleSince === null || heardAt > notedAt) return false
  // A hook notes its event first, and records only at its end that the session works. Until then the session seems idle.
  const lastAt = Math.max(own.idleSince, own.lastEventAt)
  if (lastAt <= now) return now - lastAt >= SETTLE_MS
  // The clock that wrote these times is ahead of ours.
  return now - waitingSince >= SETTLE_MS
}

function comesBefore(other: LiveSession, own: LiveSession): boolean {
  const canBeWoken = other.liveness !== 'gone' && (findHost(other.host)?.wake ?? 'none') !== 'none'
  if (!canBeWoken || other.idleSince === null) return false
  const since = own.idleSince ?? 0
  return other.idleSince > since || (other.idleSince === since && other.id < own.id)
}
