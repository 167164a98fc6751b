const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/** What a command that was asked to end gets to do so. */
const GRACE_MS = 10_000
/** A terminal asks everybody in front of it, and programs such as npm then pass it on to us again. */
const ECHO_MS = 100

/** Passes the signals that ask this process to end on to a command. */
export interface SignalForwarder {
  /** The first that came. */
  readonly signalled: NodeJS.Signals | undefined
  /** Given with it. */
  readonly asked: AbortSignal
  /** From now on they go there. */
  to(kill: (signal: NodeJS.Signals) => void): void
  /** From now on they do what they do to any process. */
  close(): void
}

/** A second SIGINT, or ten seconds of patience, becomes a SIGKILL. */
export function forwardSignals(): SignalForwarder {
  const asked = new AbortController()
  let signalled: NodeJS.Signals | undefined
  let interruptedAt: number | undefined
  let kill: ((signal: NodeJS.Signals) => void) | undefined
  let patience: NodeJS.Timeout | undefined

  function handle(signal: NodeJS.Signals): void {
    const now = performance.now()
    const isRepeated = signal === 'SIGINT' && interruptedAt !== undefined
    if (isRepeated && now - (interruptedAt ?? now) < ECHO_MS) return
    if (signal === 'SIGINT') interruptedAt = now
    signalled ??= signal
    asked.abort()
    kill?.(isRepeated ? 'SIGKILL' : signal)
    patience ??= setTimeout(() => kill?.('SIGKILL'), GRACE_MS)
  }
  // The executable's own handler ends it on the spot.
  for (const signal of SIGNALS) process.removeAllListeners(signal).on(signal, handle)

  return {
    get signalled() {
      return signalled
    },
    asked: asked.signal,
    to(target) {
      kill = target
      if (signalled !== undefined) kill(signalled)
    },
    close() {
      clearTimeout(patience)
      for (const signal of SIGNALS) process.removeListener(signal, handle)
    },
  }
}
