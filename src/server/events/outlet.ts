import type { ServerResponse } from 'node:http'

/** Where a stream goes: everything in order, until the connection ends. */
export interface Outlet {
  readonly isOpen: boolean
  /** True where more waits for the client than should: send nothing before it has drained. */
  readonly isFull: boolean
  send(bytes: Buffer): void
  /** Resolves when all that was sent is on its way, or never will be. */
  drained(): Promise<void>
  /** Drops a client that has taken nothing since the last time. */
  dropIfStalled(): void
  end(): void
}

const MAX_QUEUED_BYTES = 128 * 1024

export function createOutlet(response: ServerResponse): Outlet {
  let queued = 0
  let taken = 0
  let takenBefore = 0
  let isOpen = !response.closed
  const waiting = new Set<() => void>()

  response.once('close', () => {
    isOpen = false
    wake()
  })

  function wake(): void {
    for (const resolve of waiting) resolve()
    waiting.clear()
  }

  function onTaken(): void {
    queued--
    taken++
    if (queued === 0) wake()
  }

  return {
    get isOpen() {
      return isOpen
    },
    get isFull() {
      return response.writableLength >= MAX_QUEUED_BYTES
    },
    send(bytes) {
      if (!isOpen || response.writableEnded) return
      queued++
      // Goes out at once; Node would else wait until nothing else is to be done first.
      const { socket } = response
      socket?.cork()
      response.write(bytes, onTaken)
      socket?.uncork()
    },
    drained() {
      if (!isOpen || queued === 0) return Promise.resolve()
      return new Promise((resolve) => waiting.add(resolve))
    },
    dropIfStalled() {
      if (queued > 0 && taken === takenBefore) response.destroy()
      takenBefore = taken
    },
    end() {
      if (queued > 0) response.destroy()
      else response.end()
    },
  }
}
