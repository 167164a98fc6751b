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

/** A project and its tasks may have the same ids. */
export function keyOf({ msg_id, task_id }: BusEntry): string {
  return `${task_id ?? ''}${msg_id}`
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

  /** Of another bus, or of one that is no longer shown, an answer is worth nothing. */
  const signal = useRef<AbortSignal | undefined>(undefined)

  async function load(signal: AbortSignal): Promise<void> {
    try {
      const page = (await call('bus.read', { ...wanted, tail: tail.current, limit: ALL }, { signal })) as BusPage
      if (signal.aborted) return
      items.value = page.items
      faults.value = page.faults
      cursor.current = page.cursor
      problem.value = undefined
    } catch (error) {
      if (signal.aborted) return
      problem.value = asProblem(error)
    }
    isLoaded.value = true
  }

  async function follow(signal: AbortSignal): Promise<void> {
    await load(signal)
    while (!signal.aborted) {
      if (!isFollowing.value || document.hidden || connection.value !== 'live') {
        await pause(RETRY_MS / 4, signal)
        continue
      }
      try {
        await hear(signal)
      } catch {
        await pause(RETRY_MS, signal)
      }
    }
  }

  /** Waits for what is new. More may have been loaded meanwhile, which then holds some of it already. */
  async function hear(signal: AbortSignal): Promise<void> {
    const after = cursor.current
    const input = { ...wanted, ...(after !== null && { after }), timeoutMs: WAIT_MS }
    const page = (await call('bus.wait', input, { signal })) as BusPage
    if (signal.aborted) return
    problem.value = undefined
    if (page.hasGap) return load(signal)
    const known = new Set(items.peek().map(keyOf))
    const unseen = page.items.filter((entry) => !known.has(keyOf(entry)))
    if (unseen.length > 0) items.value = [...items.peek(), ...unseen]
    // A cursor that was loaded meanwhile is the later one: what comes after it is heard next.
    if (cursor.current === after) cursor.current = page.cursor ?? after
  }

  useEffect(() => {
    const stopper = new AbortController()
    signal.current = stopper.signal
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
      if (signal.current) void load(signal.current)
    },
  }
}
