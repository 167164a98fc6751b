import type { PushResult } from '../../model/postern.ts'
import type { PushParams } from '../store.ts'

export type Push = (params: PushParams) => Promise<readonly PushResult[]>

/** The two ways to store what is pushed. */
export interface Ways {
  /** One push by itself, which is told what speaks against it. */
  readonly alone: Push
  /**
   * The messages of many pushes by one statement. Undefined where that stored none of them, because something speaks
   * against one, and nobody can tell which. What it throws is true of them all.
   */
  readonly together: (params: PushParams) => Promise<readonly PushResult[] | undefined>
}

interface Waiting {
  readonly params: PushParams
  readonly characters: number
  readonly answer: (results: readonly PushResult[]) => void
  readonly fail: (error: unknown) => void
}

/** What one statement stores at most, unless a single push has more. */
const GROUP_MESSAGES = 128
const GROUP_CHARACTERS = 1_000_000
/** What is refused together is tried again in parts of so many pushes, so that one bad push costs few statements. */
const PART_PUSHES = 8
/** What takes longer probably waits for somebody's lock, and those who come after it wait for it no more. */
const LONGEST_TURN_MS = 200

/**
 * Lets pushes that wait together share a statement, because most of what a push costs is the same for a hundred.
 *
 *   nothing is under way   a push goes at once, by itself
 *   something is           it waits, and goes with all who wait as soon as that has ended
 *
 * One statement at a time is enough: two would wait for each other's recipients, and PostgreSQL writes its log for one
 * commit after the other anyway.
 */
export function createGatherer({ alone, together }: Ways): Push {
  const waiting: Waiting[] = []
  let isTaken = false

  async function takeTurn<T>(work: () => Promise<T>): Promise<T> {
    isTaken = true
    let isOver = false
    const end = () => {
      if (isOver) return
      isOver = true
      isTaken = false
      if (waiting.length > 0) void takeTurn(() => settle(takeGroup(waiting)))
    }
    const timer = setTimeout(end, LONGEST_TURN_MS)
    try {
      return await work()
    } finally {
      clearTimeout(timer)
      end()
    }
  }

  const settleAlone = ({ params, answer, fail }: Waiting) => alone(params).then(answer, fail)

  /** Whoever has to go alone after all takes no part in the turn any more: he may have to wait for a lock. */
  async function settle(group: readonly Waiting[]): Promise<void> {
    const [first, second] = group
    if (first && !second) return settleAlone(first)
    if (await settleTogether(group)) return
    if (group.length <= PART_PUSHES) {
      for (const each of group) void settleAlone(each)
      return
    }
    for (let at = 0; at < group.length; at += PART_PUSHES) await settle(group.slice(at, at + PART_PUSHES))
  }

  /** False where each of them still has to be answered. */
  async function settleTogether(group: readonly Waiting[]): Promise<boolean> {
    try {
      const results = await together(joined(group))
      if (results) answerAll(group, results)
      return results !== undefined
    } catch (error) {
      for (const { fail } of group) fail(error)
      return true
    }
  }

  return (params) => {
    if (!isTaken) return takeTurn(() => alone(params))
    return new Promise((answer, fail) => {
      waiting.push({ params, characters: JSON.stringify(params.items).length, answer, fail })
    })
  }
}

/** Takes those who came first, for as long as one statement can store them. It knows only one limit. */
function takeGroup(waiting: Waiting[]): Waiting[] {
  let messages = 0
  let characters = 0
  const end = waiting.findIndex((each, at) => {
    messages += each.params.items.length
    characters += each.characters
    const isLike = each.params.pendingLimit === waiting[0]?.params.pendingLimit
    return at > 0 && (!isLike || messages > GROUP_MESSAGES || characters > GROUP_CHARACTERS)
  })
  return waiting.splice(0, end === -1 ? waiting.length : end)
}

function joined(group: readonly Waiting[]): PushParams {
  return {
    items: group.flatMap(({ params }) => params.items),
    pendingLimit: group[0]?.params.pendingLimit ?? 0,
  }
}

function answerAll(group: readonly Waiting[], results: readonly PushResult[]): void {
  let at = 0
  for (const { params, answer } of group) {
    answer(results.slice(at, at + params.items.length))
    at += params.items.length
  }
}
