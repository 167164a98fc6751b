import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { SpacePost } from '../../../../src/model/sources/space.ts'
import { postern } from '../../api/postern.ts'
import { asProblem, type Problem } from '../../api/problem.ts'
import { connection, GAP, listen } from '../../live/connection.ts'

export interface Posts {
  readonly items: ReadonlySignal<readonly SpacePost[]>
  readonly isLoaded: ReadonlySignal<boolean>
  readonly problem: ReadonlySignal<Problem | undefined>
  /** Goes further back, as long as there is something. */
  loadEarlier(): void
  /** Tries again what has failed. */
  retry(): void
}

type Direction = 'later' | 'earlier'

const PAGE = 100
const GATHER_MS = 60

/** What was said in a space: the latest first of all, earlier pages as one scrolls up, and what comes while one looks. */
export function usePosts(id: string): Posts {
  const items = useSignal<readonly SpacePost[]>([])
  const isLoaded = useSignal(false)
  const problem = useSignal<Problem | undefined>(undefined)
  const earlier = useRef<number | null>(null)
  const isBusy = useRef(false)
  const failed = useRef<Direction | undefined>(undefined)
  /** What was asked for while something else was being loaded. Both may be: neither takes the place of the other. */
  const wanted = useRef(new Set<Direction>())

  function want(direction: Direction): void {
    wanted.current.add(direction)
    if (!isBusy.current) void loadWanted()
  }

  /** What is new comes first. */
  async function loadWanted(): Promise<void> {
    isBusy.current = true
    while (wanted.current.size > 0) {
      const direction = wanted.current.has('later') ? 'later' : 'earlier'
      wanted.current.delete(direction)
      await load(direction)
    }
    isBusy.current = false
  }

  async function load(direction: Direction): Promise<void> {
    try {
      await (direction === 'later' ? loadLater() : loadEarlier())
      failed.current = undefined
      problem.value = undefined
    } catch (error) {
      failed.current = direction
      problem.value = asProblem(error)
    }
  }

  async function loadLatest(): Promise<void> {
    const page = await postern.spaces.history({ id, limit: PAGE })
    items.value = page.items
    earlier.current = page.earlier
    isLoaded.value = true
  }

  async function loadLater(): Promise<void> {
    const after = items.peek().at(-1)?.seq
    if (after === undefined) return loadLatest()
    const page = await postern.spaces.history({ id, after, limit: PAGE })
    if (page.items.length > 0) items.value = [...items.peek(), ...page.items]
    if (page.items.length === PAGE) await loadLater()
  }

  async function loadEarlier(): Promise<void> {
    const before = earlier.current
    if (before === null) return
    const page = await postern.spaces.history({ id, before, limit: PAGE })
    earlier.current = page.earlier
    items.value = [...page.items, ...items.peek()]
  }

  function retry(): void {
    if (failed.current) want(failed.current)
  }

  useEffect(() => {
    want('later')
    let timer: ReturnType<typeof setTimeout> | undefined
    const unlisten = listen(({ type, subject }) => {
      if (type !== GAP && !(type === 'space.posted' && subject === id)) return
      timer ??= setTimeout(() => {
        timer = undefined
        want('later')
      }, GATHER_MS)
    })
    // What failed while the server was away is asked for again when it is back.
    const unwatch = connection.subscribe((state) => state === 'live' && retry())
    return () => {
      clearTimeout(timer)
      unwatch()
      unlisten()
    }
  }, [id])

  return { items, isLoaded, problem, loadEarlier: () => want('earlier'), retry }
}
