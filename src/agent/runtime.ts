import { sleep } from '../kit/clock/sleep.ts'
import type { InboxMessage } from '../model/delivery.ts'
import { PosternError } from '../model/errors.ts'
import type { AgentBatch } from './batch.ts'
import { failureEvidence } from './offer.ts'
import { createRhythm, MAX_CHARACTERS } from './rhythm.ts'
import { type AgentPostern, createSource } from './source.ts'

export interface AgentOptions {
  /** Whose inbox it is. */
  readonly agent: string
  /** Names this run of the agent in receipts; by default a name of its own. */
  readonly sessionId?: string
  /** How much one batch holds: 500 messages by default, and as many characters as a million, as a drain shows them. */
  readonly maxMessages?: number
  readonly maxCharacters?: number
  /** How long a batch is left to a process of which nothing is heard any more; a minute by default. */
  readonly leaseMs?: number
  /** The first pause after a failure, and the longest: a second and five minutes by default. */
  readonly retry?: { readonly minMs: number; readonly maxMs: number }
  /** Given: nothing more is taken, and the loop ends when its body has. */
  readonly signal?: AbortSignal
}

export interface BatchFailure {
  readonly error: unknown
  readonly batch: AgentBatch
  /** Delay before the retry. Null if the batch was already done, or could not be returned, which ends the loop. */
  readonly retryMs: number | null
}

/** An agent of one's own: it sleeps until mail comes and deals with all that waits at once. */
export interface AgentRuntime {
  /**
   * One batch after another, at no cost in between. A batch is confirmed when the body of the loop has come to its end,
   * and pending again when the body throws or leaves the loop without `batch.done()`. One loop at a time.
   */
  batches(): AsyncGenerator<AgentBatch, void, void>
  /**
   * Deals with every batch until it is stopped. One that fails is tried again, after a pause that grows, and in smaller
   * parts, so that one bad message does not take the others with it. Failures are said on stderr unless somebody hears.
   */
  run(work: (batch: AgentBatch) => unknown, onFailure?: (failure: BatchFailure) => void): Promise<void>
  /** What waits, without taking it: urgent first, then in order. */
  peek(options?: { readonly limit?: number }): Promise<readonly InboxMessage[]>
  /** Nothing more is taken; the loop ends when its body has. Safe to call twice, and from the body. */
  stop(): void
}

const LEASE_MS = 60_000
const SHORTEST_LEASE_MS = 10
const ABANDONED = 'the loop was left before it was done'

/** Makes an agent of a program. It works with any Postern, also with one behind a server. */
export function agent(postern: AgentPostern, options: AgentOptions): AgentRuntime {
  const stopping = new AbortController()
  const signal = options.signal === undefined ? stopping.signal : AbortSignal.any([options.signal, stopping.signal])
  const random = Math.random
  const { maxMessages, retry } = options
  const source = createSource({
    postern,
    agent: options.agent,
    sessionId: options.sessionId ?? `${options.agent}-${crypto.randomUUID()}`,
    maxCharacters: options.maxCharacters ?? MAX_CHARACTERS,
    leaseMs: parseLease(options.leaseMs ?? LEASE_MS),
    rhythm: createRhythm({ ...retry, ...(maxMessages !== undefined && { maxMessages }), random }),
    signal,
    now: Date.now,
    random,
    sleep,
  })

  let isLooping = false
  async function* batches(): AsyncGenerator<AgentBatch, void, void> {
    if (isLooping) throw secondLoop(options.agent)
    isLooping = true
    try {
      while (!signal.aborted) {
        const batch = await source.next()
        if (!batch) continue
        try {
          yield batch
          await batch.done()
        } finally {
          await batch.release(ABANDONED)
        }
      }
    } finally {
      isLooping = false
      await source.leave()
    }
  }

  return {
    batches,
    async run(work, onFailure = (failure) => sayFailed(options.agent, failure)) {
      for await (const batch of batches()) {
        try {
          await work(batch)
        } catch (error) {
          const { retryMs } = await batch.release(failureEvidence(error)).catch((fault: unknown) => {
            // Report why the work failed, even if the release then fails and ends the loop.
            onFailure({ error, batch, retryMs: null })
            throw fault
          })
          onFailure({ error, batch, retryMs })
        }
      }
    },
    peek: ({ limit } = {}) => source.peek(limit),
    stop: () => stopping.abort(),
  }
}

function parseLease(leaseMs: number): number {
  if (Number.isInteger(leaseMs) && leaseMs >= SHORTEST_LEASE_MS) return leaseMs
  throw new PosternError('VALUE_INVALID', {
    field: 'lease',
    value: leaseMs,
    next: `Use a whole number of milliseconds from ${SHORTEST_LEASE_MS} on.`,
  })
}

function secondLoop(agent: string): PosternError {
  return new PosternError('VALUE_INVALID', {
    field: 'second loop over the batches of',
    value: agent,
    next: 'One batch at a time: end the first loop, or make another agent() for the same inbox.',
  })
}

function sayFailed(agent: string, { error, batch, retryMs }: BatchFailure): void {
  const next = retryMs === null ? 'it was done with before' : `again in ${Math.ceil(retryMs / 1000)} s`
  console.error(`postern: a batch of ${batch.messages.length} for ${agent} failed; ${next}:`, error)
}
