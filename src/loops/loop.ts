import { type Sleep, sleep as sleepOnTimer } from '../kit/clock/sleep.ts'
import { createBackoff } from '../kit/pure/backoff.ts'

/** Background work in rounds, until it is closed. Everything that a server does besides answering requests is a loop. */
export interface Loop {
  /** Starts the next round now. A loop whose last round failed may keep to its backoff; a closed one does nothing. */
  wake(): void
  /** Starts no further round. Resolves when the store and the wires may be closed. Safe to call twice. */
  close(): Promise<void>
}

export interface LoopOptions {
  /** Does one round and returns how many milliseconds to rest after it. */
  readonly run: () => Promise<number>
  /** Called for the first of several failures in a row. */
  readonly onFailure?: (error: unknown) => void
  /** Called for the first round that succeeds after a failure. */
  readonly onRecovery?: () => void
  /** How long to rest before the first round; 0 by default. */
  readonly firstRestMs?: number
  /** True: the rests do not keep the process alive. */
  readonly isBackground?: boolean
  /** How to rest; tests pass their own. */
  readonly sleep?: Sleep
}

const RETRY = { minMs: 500, maxMs: 30_000 }

/** Runs rounds, one at a time. After a failure it backs off, and `wake` does not cut that short. */
export function startLoop(options: LoopOptions): Loop {
  const { run, onFailure, onRecovery, firstRestMs = 0, isBackground = false, sleep = sleepOnTimer } = options
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
      if (isFailing) onRecovery?.()
      isFailing = false
      return restMs
    } catch (error) {
      if (!isFailing && !isClosed) onFailure?.(error)
      isFailing = true
      return backoff.next()
    }
  }

  function rest(ms: number): Promise<void> {
    return sleep(ms, {
      isBackground,
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
    if (firstRestMs > 0) await rest(firstRestMs)
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
