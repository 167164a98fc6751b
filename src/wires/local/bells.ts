import { LINGER_MS } from '../wire.ts'
import { type Bell, openBell, type WatchFile } from './bell.ts'

/** The bells that a process hears. */
export interface Bells {
  /** Calls back at every event of the file until the returned function is called, once. */
  hear(path: string, onEvent: () => void): () => void
  close(): void
}

interface Hung {
  readonly bell: Bell
  readonly listeners: Set<() => void>
  linger: NodeJS.Timeout | undefined
}

/** A process that waits for many in turn must not use up what the machine has for all. */
const MAX_LINGERING = 32

export function createBells(watch?: WatchFile, lingerMs = LINGER_MS): Bells {
  const hung = new Map<string, Hung>()
  const lingering = new Set<string>()

  function hang(path: string): Hung {
    const listeners = new Set<() => void>()
    const onEvent = () => {
      for (const listener of [...listeners]) listener()
    }
    const opened: Hung = { bell: openBell({ path, onEvent, watch }), listeners, linger: undefined }
    hung.set(path, opened)
    return opened
  }

  function takeUp(path: string, known: Hung): Hung {
    clearTimeout(known.linger)
    lingering.delete(path)
    known.bell.look()
    known.bell.ref()
    return known
  }

  function takeDown(path: string): void {
    const known = hung.get(path)
    clearTimeout(known?.linger)
    known?.bell.close()
    hung.delete(path)
    lingering.delete(path)
  }

  /** Keeps no process alive meanwhile. One that only polls is of no use: the next may be told by the kernel again. */
  function linger(path: string, known: Hung): void {
    if (hung.get(path) !== known) return
    if (known.bell.isPolling) {
      takeDown(path)
      return
    }
    known.bell.unref()
    known.linger = setTimeout(() => takeDown(path), lingerMs).unref()
    lingering.add(path)
    const [oldest] = lingering
    if (lingering.size > MAX_LINGERING && oldest !== undefined) takeDown(oldest)
  }

  return {
    hear(path, onEvent) {
      const known = hung.get(path)
      const heard = known ? takeUp(path, known) : hang(path)
      // Nobody else has this one, whoever gave it.
      const listener = () => onEvent()
      heard.listeners.add(listener)
      return () => {
        if (heard.listeners.delete(listener) && heard.listeners.size === 0) linger(path, heard)
      }
    },
    close() {
      for (const path of [...hung.keys()]) takeDown(path)
    },
  }
}
