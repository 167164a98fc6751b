import { sleep } from '../kit/clock/sleep.ts'
import { createBackoff } from '../kit/pure/backoff.ts'
import { reasonOf } from '../kit/pure/reason-of.ts'
import type { Inbox } from '../model/postern.ts'
import type { CourierWire } from './courier.ts'
import { withTimeout } from './courier-postern.ts'

export interface WaitingParams {
  readonly agent: string
  readonly reach: () => Promise<{ readonly inbox: Pick<Inbox, 'wait'> }>
  readonly random: () => number
}

const WAIT_MS = 60_000

/** While messages are pending, `wait` returns at once, so this backoff sets how often to ask for more. */
const MORE_FROM_MS = 250
const MORE_TO_MS = 5_000

const DOWN_FROM_MS = 500
const DOWN_TO_MS = 5_000

/**
 * A wire for couriers without an engine. It rings when `inbox.wait` of the Postern returns, by the store's own wire or
 * through a server.
 */
export function createWaitingWire({ agent, reach, random }: WaitingParams): CourierWire {
  let fault: string | undefined

  async function waitAndRing(onRing: () => void, { signal }: AbortController): Promise<void> {
    const more = createBackoff({ minMs: MORE_FROM_MS, maxMs: MORE_TO_MS, random })
    const downs = createBackoff({ minMs: DOWN_FROM_MS, maxMs: DOWN_TO_MS, random })
    for (let before = 0; !signal.aborted; ) {
      try {
        const { inbox } = await withTimeout(reach())
        // After a failure, do not wait: report at once that the store is back, and ring for what was missed meanwhile.
        const timeoutMs = fault === undefined ? WAIT_MS : 0
        const { pending } = await inbox.wait({ agent, timeoutMs, signal })
        if (signal.aborted) return
        if (pending > 0 || fault !== undefined) onRing()
        fault = undefined
        downs.reset()
        if (pending !== before) more.reset()
        before = pending
        if (pending > 0) await sleep(more.next(), { signal })
      } catch (error) {
        fault = reasonOf(error)
        await sleep(downs.next(), { signal })
      }
    }
  }

  return {
    async listen(names, onRing) {
      const stop = new AbortController()
      const ended = waitAndRing(() => onRing(names), stop)
      return {
        close() {
          stop.abort()
          return ended
        },
      }
    },
    async health() {
      return { isUp: fault === undefined, detail: fault ?? "the store's own rings" }
    },
  }
}
