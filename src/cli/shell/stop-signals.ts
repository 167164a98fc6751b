import { EXIT } from '../../model/errors.ts'

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** Whoever is told to end passes it on to what it has started, and ends when that has. */
export interface Stopper {
  /** Given with the first signal. */
  readonly signal: AbortSignal
  readonly signalled: NodeJS.Signals | undefined
  /** Hears every signal from now on, until the returned function is called. A second signal becomes a SIGKILL. */
  onSignal(hear: (signal: NodeJS.Signals) => void): () => void
  close(): void
}

/** Catches the signals that ask a process to end, which then ends by itself. */
export function catchSignals(): Stopper {
  const stop = new AbortController()
  const hearers = new Set<(signal: NodeJS.Signals) => void>()
  let signalled: NodeJS.Signals | undefined

  function handle(signal: NodeJS.Signals): void {
    const asked = signalled === undefined ? signal : 'SIGKILL'
    signalled ??= signal
    stop.abort()
    for (const hear of hearers) hear(asked)
  }
  // The executable's own handler ends it on the spot.
  for (const signal of SIGNALS) process.removeAllListeners(signal).on(signal, handle)

  return {
    signal: stop.signal,
    get signalled() {
      return signalled
    },
    onSignal(hear) {
      hearers.add(hear)
      // It came between the look and the start.
      if (signalled !== undefined) hear(signalled)
      return () => hearers.delete(hear)
    },
    close() {
      for (const signal of SIGNALS) process.removeListener(signal, handle)
    },
  }
}

/** Resolves with the first signal. A second one does not wait for anybody. */
export function untilStopped({ signal, onSignal }: Stopper): Promise<void> {
  onSignal((asked) => {
    if (asked === 'SIGKILL') process.exit(EXIT.failed)
  })
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/**
 * Does what goes on until it is told to end. Signals count from the beginning: a store may take long to open, and a
 * second signal waits for nothing.
 */
export async function goOnUntilStopped(work: (stopped: Promise<void>) => Promise<void>): Promise<void> {
  const stopper = catchSignals()
  const stopped = untilStopped(stopper)
  try {
    await work(stopped)
  } finally {
    stopper.close()
  }
}
