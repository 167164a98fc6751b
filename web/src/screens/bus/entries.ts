import { type ReadonlySignal, type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { BusFault, BusPage } from '../../../../src/model/bus/bus.ts'
import type { BusEntry, BusPlace } from '../../../../src/model/bus/entry.ts'
import { call } from '../../api/postern.ts'
import { asProblem, type Problem } from '../../api/problem.ts'
import { connection } from '../../live/connection.ts'
import { pause } from '../../live/pause.ts'

export interface Entries {
  readonly items: ReadonlySignal<readonly BusEntry[]>
  readonly faults: ReadonlySignal<readonly BusFault[]>
  readonly isLoaded: ReadonlySignal<boolean>
  readonly problem: ReadonlySignal<Problem | undefined>
  /** New entries are shown as they come. */
  readonly isFollowing: Signal<boolean>
  loadEarlier(): void
}

interface Wanted extends BusPlace {
  readonly merged?: boolean
}

const FIRST = 500
const ALL = 10_000
const WAIT_MS = 25_000
const RETRY_MS = 2_000

/** The last entries of a bus, more as one scrolls up, and those that come while it is followed. */
export function useEntries(wanted: Wanted, key: string): Entries {
  const items = useSignal<readonly BusEntry[]>([])
  const faults = useSignal<readonly BusFault[]>([])
  const isLoaded = useSignal(false)
  const problem = useSignal<Problem | undefined>(undefined)
  const isFollowing = useSignal(true)
  const cursor = useRef<string | null>(null)
  const tail = useRef(FIRST)

  async function load(): Promise<void> {
    try {
      const page = (await call('bus.read', { ...wanted, tail: tail.current, limit: ALL })) as BusPage
      items.value = page.items
      faults.value = page.faults
      cursor.current = page.cursor
      problem.value = undefined
    } catch (error) {
      problem.value = asProblem(error)
    }
    isLoaded.value = true
  }

  async function follow(signal: AbortSignal): Promise<void> {
    await load()
    while (!signal.aborted) {
      if (!isFollowing.value || document.hidden || connection.value !== 'live') {
        await pause(RETRY_MS / 4, signal)
        continue
      }
      try {
        const after = cursor.current === null ? {} : { after: cursor.current }
        const page = (await call('bus.wait', { ...wanted, ...after, timeoutMs: WAIT_MS }, { signal })) as BusPage
        cursor.current = page.cursor ?? cursor.current
        if (page.hasGap) await load()
        else if (page.items.length > 0) items.value = [...items.peek(), ...page.items]
        problem.value = undefined
      } catch {
        await pause(RETRY_MS, signal)
      }
    }
  }

  useEffect(() => {
    const stopper = new AbortController()
    void follow(stopper.signal)
    return () => stopper.abort()
  }, [key])

  return {
    items,
    faults,
    isLoaded,
    problem,
    isFollowing,
    loadEarlier() {
      if (items.peek().length < tail.current || tail.current >= ALL) return
      tail.current = Math.min(tail.current * 5, ALL)
      void load()
    },
  }
}
