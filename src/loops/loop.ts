import { sleep } from '../kit/clock/sleep.ts'
import { createBackoff } from '../kit/pure/backoff.ts'

export interface LoopOptions {
  /** One round; says how long to rest afterwards. */
  readonly run: () => Promise<number>
  /** Told of the first failure in a row, and once it goes again. */
  readonly onFailure: (error: unknown) => void
  readonly onRecovery: () => void
}

/** Something that is done again and again until it is closed. */
export interface Loop {
  /** The next round begins at once, unless the last one has failed. */
  wake(): void
  /** Resolves when the round that is under way has ended. Safe to call twice. */
  close(): Promise<void>
}

const RETRY = { minMs: 500, maxMs: 30_000 }

export function startLoop({ run, onFailure, onRecovery }: LoopOptions): Loop {
  const backoff = createBackoff({ ...RETRY, random: Math.random })
  let isClosed = false
  let isWoken = false
  let isFailing = false
  let end: (() => void) | undefined

  async function round(): Promise<number> {
    isWoken = false
    try {
      const restMs = await run()
      backoff.reset()
      if (isFailing) onRecovery()
      isFailing = false
      return restMs
    } catch (error) {
      if (!isFailing && !isClosed) onFailure(error)
      isFailing = true
      return backoff.next()
    }
  }

  function rest(ms: number): Promise<void> {
    return sleep(ms, {
      subscribe(wake) {
        end = wake
        if (isClosed || (isWoken && !isFailing)) wake()
        return () => {
          end = undefined
        }
      },
    })
  }

  async function loop(): Promise<void> {
    while (!isClosed) await rest(await round())
  }

  const running = loop()
  return {
    wake() {
      isWoken = true
      if (!isFailing) end?.()
    },
    async close() {
      isClosed = true
      end?.()
      await running
    },
  }
}
