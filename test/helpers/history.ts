/**
 * What processes did, as each of them wrote it down. A process that was killed has a record up to its last whole line.
 *
 * A message goes by the key that its writer put into its content, so that it can be followed before it has an id. `by`
 * names one life of one process: a worker that is started again is somebody else.
 */
export type HistoryEvent =
  /** A writer is about to push; the order of these is the writer's order. */
  | { readonly kind: 'attempted'; readonly key: string; readonly by: string }
  | { readonly kind: 'acknowledged'; readonly key: string; readonly by: string }
  | { readonly kind: 'shown'; readonly key: string; readonly attempt: number; readonly by: string }
  /** The drainer was told that what it showed is confirmed. */
  | { readonly kind: 'confirmed'; readonly key: string; readonly by: string }
  /** The drainer was told that its offer had lapsed, so that somebody else may show the message too. */
  | { readonly kind: 'refused'; readonly key: string; readonly by: string }
  /** The one who was shown it has said that it is dealt with. */
  | { readonly kind: 'acked'; readonly key: string; readonly by: string }
  | { readonly kind: 'crashed'; readonly by: string }
  /** The message still waits when the history ends. */
  | { readonly kind: 'waiting'; readonly key: string }

export interface Findings {
  /** Acknowledged, but neither shown nor waiting. */
  readonly lost: readonly string[]
  /** Shown again although nothing had gone wrong the first time, or without counting the attempt. */
  readonly duplicate: readonly string[]
  /** Shown, but pushed by nobody. */
  readonly phantom: readonly string[]
  /** Shown by one process in another order than its writer pushed. */
  readonly reordered: readonly string[]
  /** Still waiting, although a later message of its writer was shown. */
  readonly skipped: readonly string[]
}

export interface Verdict extends Findings {
  readonly isSound: boolean
  readonly acknowledged: number
  readonly shown: number
  readonly repeated: number
}

type Shown = Extract<HistoryEvent, { kind: 'shown' }>

/** Looks for everything that must not happen to a message between its push and its being shown. */
export function checkHistory(events: readonly HistoryEvent[]): Verdict {
  const acknowledged = keysOf(events, 'acknowledged')
  const waiting = keysOf(events, 'waiting')
  const pushed = new Set([...keysOf(events, 'attempted'), ...acknowledged])
  const shows = showsByKey(events)
  const findings: Findings = {
    lost: [...acknowledged].filter((key) => !shows.has(key) && !waiting.has(key)),
    duplicate: duplicatesIn(events, shows, waiting),
    phantom: [...shows.keys()].filter((key) => !pushed.has(key)),
    reordered: reorderedIn(events),
    skipped: skippedIn(events, shows, waiting),
  }
  return {
    ...findings,
    isSound: Object.values(findings).every((found) => found.length === 0),
    acknowledged: acknowledged.size,
    shown: shows.size,
    repeated: [...shows.values()].filter((each) => each.length > 1).length,
  }
}

export function describeVerdict({
  acknowledged,
  shown,
  repeated,
  lost,
  duplicate,
  phantom,
  reordered,
  skipped,
}: Verdict): string {
  const faults = { lost, duplicate, phantom, reordered, skipped }
  const counts = Object.entries(faults).map(([name, found]) => `${found.length} ${name}`)
  return `${acknowledged} acknowledged, ${shown} shown, ${repeated} repeated, ${counts.join(', ')}`
}

function keysOf(events: readonly HistoryEvent[], kind: 'attempted' | 'acknowledged' | 'waiting'): Set<string> {
  return new Set(events.flatMap((event) => (event.kind === kind ? [event.key] : [])))
}

function showsByKey(events: readonly HistoryEvent[]): Map<string, Shown[]> {
  const shows = new Map<string, Shown[]>()
  for (const event of events) {
    if (event.kind !== 'shown') continue
    const known = shows.get(event.key)
    if (known) known.push(event)
    else shows.set(event.key, [event])
  }
  return shows
}

/**
 * The attempts order the shows of one message, whoever made them. A message may be shown again, or wait to be, only
 * where the one that showed it before died or was told that it had been too slow, and had not been told "confirmed".
 */
function duplicatesIn(
  events: readonly HistoryEvent[],
  shows: ReadonlyMap<string, readonly Shown[]>,
  waiting: ReadonlySet<string>,
): string[] {
  const crashed = new Set(events.flatMap((event) => (event.kind === 'crashed' ? [event.by] : [])))
  const answers = new Map<string, 'confirmed' | 'refused'>()
  for (const event of events) {
    const { kind } = event
    if (kind === 'refused') answers.set(`${event.by} ${event.key}`, kind)
    if (kind === 'confirmed' || kind === 'acked') answers.set(`${event.by} ${event.key}`, 'confirmed')
  }
  const isExcused = ({ by, key }: Shown) => {
    const answer = answers.get(`${by} ${key}`)
    return answer === 'refused' || (answer === undefined && crashed.has(by))
  }
  return [...shows].flatMap(([key, each]) => {
    const inOrder = each.toSorted((a, b) => a.attempt - b.attempt)
    const repeated = waiting.has(key) ? inOrder : inOrder.slice(0, -1)
    const isCounted = new Set(each.map(({ attempt }) => attempt)).size === each.length
    return isCounted && repeated.every(isExcused) ? [] : [key]
  })
}

/** Only first attempts: what comes back after a crash comes when it comes. */
function reorderedIn(events: readonly HistoryEvent[]): string[] {
  const places = new Map<string, { readonly by: string; readonly at: number }>()
  for (const event of events) {
    if (event.kind === 'attempted') places.set(event.key, { by: event.by, at: places.size })
  }
  const last = new Map<string, number>()
  const found: string[] = []
  for (const event of events) {
    const place = event.kind === 'shown' && event.attempt === 1 ? places.get(event.key) : undefined
    if (event.kind !== 'shown' || !place) continue
    const pair = `${event.by} ${place.by}`
    if (place.at < (last.get(pair) ?? -1)) found.push(event.key)
    last.set(pair, Math.max(place.at, last.get(pair) ?? -1))
  }
  return found
}

/** A message that was shown once may wait again: its reader died. */
function skippedIn(
  events: readonly HistoryEvent[],
  shows: ReadonlyMap<string, unknown>,
  waiting: ReadonlySet<string>,
): string[] {
  const attempted = events.filter((event) => event.kind === 'attempted')
  const hasLaterShown = new Set<string>()
  const found: string[] = []
  for (const { key, by } of attempted.toReversed()) {
    if (waiting.has(key) && !shows.has(key) && hasLaterShown.has(by)) found.push(key)
    if (shows.has(key)) hasLaterShown.add(by)
  }
  return found.toReversed()
}
