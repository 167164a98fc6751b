import type { AgentStatus } from '../../../../src/model/postern.ts'
import type { Tone } from '../../parts/bits.tsx'

/**
 * What an agent does now, as far as its session tells.
 *
 *   working ─its turn ends→ idle ─a prompt or a tool→ working · either ─its process is gone, or it ends→ stopped
 */
export type Condition = 'working' | 'idle' | 'stopped' | 'unknown'

export const CONDITIONS: Readonly<Record<Condition, { readonly words: string; readonly tone: Tone }>> = {
  working: { words: 'working', tone: 'green' },
  idle: { words: 'idle', tone: 'blue' },
  stopped: { words: 'stopped', tone: 'plain' },
  unknown: { words: 'no session yet', tone: 'plain' },
}

export function conditionOf({ session }: Pick<AgentStatus, 'session'>): Condition {
  if (!session) return 'unknown'
  if (session.endedAt !== null || session.liveness === 'gone') return 'stopped'
  return session.idleSince === null ? 'working' : 'idle'
}

/** How a host is usually woken while it is idle. Whether it is set up so, only a look at its machine could tell. */
export function wakeRouteOf(host: string | undefined): string {
  switch (host) {
    case 'claude-code':
      return 'usually its background hook, within a second'
    case 'codex':
      return 'usually the queue of Codex'
    case undefined:
      return 'none: it reads at its next drain, or run it with "postern wake"'
    default:
      return 'usually its next hook; a nudge or "postern wake" wakes it sooner'
  }
}

/** Hooks are only known by their traces: a session that was heard of has hooks that answer. */
export function hookHealthOf(
  { session, pending }: AgentStatus,
  now: number,
): { readonly ok: boolean; readonly words: string } {
  if (!session) return { ok: false, words: 'never heard of a hook' }
  const silentMs = now - session.lastEventAt
  const isWorking = session.idleSince === null && session.endedAt === null
  if (isWorking && pending > 0 && silentMs > SILENT_MS)
    return { ok: false, words: 'silent although mail waits: see "postern doctor"' }
  return { ok: true, words: 'the last event was heard' }
}

const SILENT_MS = 10 * 60_000
