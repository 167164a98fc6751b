import { monotonicMs } from '../../kit/node/monotonic.ts'
import type { PushResult } from '../../model/postern.ts'
import type { PushParams } from '../store.ts'

export type Push = (params: PushParams) => Promise<readonly PushResult[]>

export interface GatherOptions {
  /** Stores one push by itself, which is told what speaks against it. It may wait for somebody's lock. */
  readonly alone: Push
  /**
   * Stores the messages of many pushes by one statement. Undefined where that stored none of them, because something
   * speaks against one, and nobody can tell which. What it throws is true of them all.
   */
  readonly together: (params: PushParams) => Promise<readonly PushResult[] | undefined>
  /** How long somebody waits for others at most. */
  readonly patienceMs: number
  /** What whoever has waited for longer is told. */
  readonly refusal: () => unknown
}

export interface Gatherer {
  readonly push: Push
  /** Resolves when everything that was pushed is answered. */
  idle(): Promise<void>
}

interface Waiting {
  readonly params: PushParams
  readonly characters: number
  readonly since: number
  readonly answer: (results: readonly PushResult[]) => void
  readonly fail: (error: unknown) => void
}

/** What one statement stores at most, unless a single push has more. */
const GROUP_MESSAGES = 128
const GROUP_CHARACTERS = 1_000_000
/** What is declined together is tried again in parts of so many pushes: one bad push in a hundred costs some twenty statements. */
const PART_PUSHES = 8
/** A push by itself that takes longer probably waits for somebody's lock, and those who come after it wait for it no more. */
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
export function createGatherer({ alone, together, patienceMs, refusal }: GatherOptions): Gatherer {
  const waiting: Waiting[] = []
  const unanswered = new Set<Promise<unknown>>()
  let isTaken = false

  /** What comes meanwhile waits until this has ended, or its time is over. */
  async function takeTurn<T>(work: () => Promise<T>, longestMs?: number): Promise<T> {
    isTaken = true
    let isOver = false
    const end = () => {
      if (isOver) return
      isOver = true
      isTaken = false
      goOn()
    }
    const timer = longestMs === undefined ? undefined : setTimeout(end, longestMs)
    try {
      return await work()
    } finally {
      clearTimeout(timer)
      end()
    }
  }

  const takeTurnAlone: Push = (params) => takeTurn(() => alone(params), LONGEST_TURN_MS)

  function goOn(): void {
    const now = monotonicMs()
    const inTime = waiting.findIndex(({ since }) => now - since <= patienceMs)
    for (const { fail } of waiting.splice(0, inTime === -1 ? waiting.length : inTime)) fail(refusal())
    const group = takeGroup(waiting)
    const [first, second] = group
    if (second) void takeTurn(() => settle(group))
    else if (first) void takeTurnAlone(first.params).then(first.answer, first.fail)
  }

  async function settle(group: readonly Waiting[]): Promise<void> {
    if (await settleTogether(group)) return
    await Promise.all(partsOf(group).map(settlePart))
  }

  /** Whoever has to go alone after all takes no part in the turn any more: he may have to wait for a lock. */
  async function settlePart(part: readonly Waiting[]): Promise<void> {
    if (part.length > 1 && (await settleTogether(part))) return
    for (const { params, answer, fail } of part) void alone(params).then(answer, fail)
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

  const waitFor: Push = (params) =>
    new Promise((answer, fail) => {
      const characters = JSON.stringify(params.items).length
      waiting.push({ params, characters, since: monotonicMs(), answer, fail })
    })

  return {
    push(params) {
      const pushed = isTaken ? waitFor(params) : takeTurnAlone(params)
      unanswered.add(pushed)
      const forget = () => unanswered.delete(pushed)
      pushed.then(forget, forget)
      return pushed
    },

    async idle() {
      while (unanswered.size > 0) await Promise.allSettled(unanswered)
    },
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

/** What is a part itself cannot be parted further. */
function partsOf(group: readonly Waiting[]): (readonly Waiting[])[] {
  const size = group.length > PART_PUSHES ? PART_PUSHES : 1
  return Array.from({ length: Math.ceil(group.length / size) }, (_, at) => group.slice(at * size, (at + 1) * size))
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
