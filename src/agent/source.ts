import type { Sleep } from '../kit/clock/sleep.ts'
import type { Random } from '../kit/pure/backoff.ts'
import type { InboxMessage } from '../model/delivery.ts'
import { VIA_AGENT } from '../model/offer.ts'
import type { Drained, Postern } from '../model/postern.ts'
import { type AgentBatch, openBatch } from './batch.ts'
import { insist, isPassing } from './offer.ts'
import type { Rhythm } from './rhythm.ts'
import { SLICE_MS } from './wake.ts'

/** As much of Postern as an agent's loop needs; every Postern is one. */
export interface AgentPostern {
  readonly inbox: Pick<Postern['inbox'], 'wait' | 'drain' | 'printed' | 'confirm' | 'release' | 'list'>
  readonly sessions: Pick<Postern['sessions'], 'begin' | 'end'>
}

export interface SourceOptions {
  readonly postern: AgentPostern
  readonly agent: string
  readonly sessionId: string
  readonly maxCharacters: number
  readonly leaseMs: number
  readonly rhythm: Rhythm
  readonly signal: AbortSignal
  readonly now: () => number
  readonly random: Random
  readonly sleep: Sleep
}

/** Where batches come from, one at a time. */
export interface Source {
  /** Sleeps until something waits, and takes it. Undefined where that came to nothing, or it is told to stop. */
  next(): Promise<AgentBatch | undefined>
  /** What waits, without taking it: urgent first, then in order. */
  peek(limit?: number): Promise<readonly InboxMessage[]>
  /** The agent goes to rest. */
  leave(): Promise<void>
}

const HOST = 'agent'
const PEEK_LIMIT = 100

export function createSource(options: SourceOptions): Source {
  const { postern, agent, sessionId, rhythm, signal, sleep } = options
  const { inbox, sessions } = postern
  const state = { isBegun: false, moreWaits: false, pauseMs: 0 }

  async function take(): Promise<Drained | undefined> {
    if (!state.isBegun) {
      await sessions.begin({ id: sessionId, agent, host: HOST })
      state.isBegun = true
    }
    if (!state.moreWaits) {
      const { pending } = await inbox.wait({ agent, fromOthers: true, timeoutMs: SLICE_MS, signal })
      if (pending === 0 || signal.aborted) return undefined
    }
    state.moreWaits = false
    const { maxMessages } = rhythm
    const { maxCharacters } = options
    return inbox.drain({ agent, sessionId, via: VIA_AGENT, maxMessages, maxCharacters, boundsCritical: true })
  }

  async function handOver(drained: Drained): Promise<AgentBatch | undefined> {
    const { offer } = drained
    if (!offer) {
      // What waits and cannot be taken, because it finds no room, is not asked for again and again.
      if (drained.remaining > 0) state.pauseMs = rhythm.miss()
      return undefined
    }
    if (signal.aborted) {
      const reason = 'the agent was stopped before it was handed over'
      await insist(() => inbox.release({ offerId: offer.id, reason }), options)
      return undefined
    }
    return openBatch({ ...options, drained: { ...drained, offer }, now: options.now(), peek, settled })

    function settled(isDone: boolean): number | null {
      state.moreWaits = isDone && drained.remaining > 0
      if (isDone) rhythm.succeed()
      else state.pauseMs = rhythm.fail(drained.messages.length)
      return isDone ? null : state.pauseMs
    }
  }

  async function peek(limit = PEEK_LIMIT): Promise<readonly InboxMessage[]> {
    const { items } = await inbox.list({ agent, which: 'pending', limit })
    return items.toSorted((a, b) => a.priority - b.priority || a.inboxSeq - b.inboxSeq)
  }

  return {
    async next() {
      if (state.pauseMs > 0) await sleep(state.pauseMs, { signal })
      state.pauseMs = 0
      if (signal.aborted) return undefined
      try {
        const drained = await take()
        return drained && (await handOver(drained))
      } catch (error) {
        // Whoever is stopped while it waits over a network may be told so by an error.
        if (signal.aborted) return undefined
        if (!isPassing(error)) throw error
        state.pauseMs = rhythm.miss()
        return undefined
      }
    },
    peek,
    async leave() {
      if (!state.isBegun) return
      state.isBegun = false
      await sessions.end({ id: sessionId }).catch(() => {})
    },
  }
}
