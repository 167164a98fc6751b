/**
 * Side by side: contestants take turns in short blocks, so that whatever else the machine does hits all of them alike.
 * Only the ratios of one run mean anything.
 */

/** Milliseconds, or several named figures of one block. */
export type Sample = number | Readonly<Record<string, number>>

export interface Entrant {
  /** Measures one short block. What it prepares is not timed. */
  block(): Promise<Sample> | Sample
  leave?(): Promise<void> | void
}

export interface Contestant {
  readonly name: string
  /** Gets ready. Where it throws, the row says why it is missing. */
  enter(): Promise<Entrant>
}

export interface Contest {
  readonly title: string
  readonly contestants: readonly Contestant[]
  readonly goals: readonly Goal[]
  /** Blocks of each contestant in a repeat. */
  readonly rounds: number
  /** Blocks that are run before and not counted. */
  readonly warmUps?: number
}

/** What is asked of a figure of ours, alone or against another one of the same contest. */
export interface Goal {
  readonly id: string
  readonly ours: string
  readonly than?: string
  /** Their time is at least so many times ours. */
  readonly faster?: number
  /** Our time is at most so many times theirs. */
  readonly within?: number
  readonly atMost?: number
  readonly atLeast?: number
}

export interface Outcome {
  readonly title: string
  /** Medians of the repeats' medians. */
  readonly figures: Readonly<Record<string, number>>
  readonly missing: Readonly<Record<string, string>>
  readonly verdicts: readonly Verdict[]
}

export interface Verdict {
  readonly goal: Goal
  /** The ratio, or the figure where nothing is compared; absent where somebody is missing. */
  readonly value?: number
  readonly lowest?: number
  readonly highest?: number
  readonly isMet?: boolean
  readonly why?: string
}

type Running = { readonly name: string; readonly entrant: Entrant; repeats: Map<string, number[]>[] }

export async function hold(contest: Contest, repeats: number): Promise<Outcome> {
  const missing: Record<string, string> = {}
  const running: Running[] = []
  for (const { name, enter } of contest.contestants) {
    try {
      running.push({ name, entrant: await enter(), repeats: [] })
    } catch (error) {
      missing[name] = reasonOf(error)
    }
  }
  for (let round = 0; round < (contest.warmUps ?? 1); round++) await takeTurns(running, missing, () => {})
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const runner of running) runner.repeats.push(new Map())
    for (let round = 0; round < contest.rounds; round++) await takeTurns(running, missing, note)
  }
  for (const { entrant } of running) await entrant.leave?.()
  const medians = mediansOf(running.filter(({ name }) => !(name in missing)))
  return {
    title: contest.title,
    figures: Object.fromEntries([...medians].map(([name, values]) => [name, median(values)])),
    missing,
    verdicts: contest.goals.map((goal) => judge(goal, medians, missing)),
  }
}

/** Everybody's block once, in an order that nobody gains by: what ran before leaves the machine warmer or colder. */
async function takeTurns(
  running: readonly Running[],
  missing: Record<string, string>,
  take: (runner: Running, sample: Sample) => void,
): Promise<void> {
  for (const runner of shuffled(running)) {
    if (runner.name in missing) continue
    try {
      take(runner, await runner.entrant.block())
    } catch (error) {
      missing[runner.name] = reasonOf(error)
    }
  }
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

function note({ name, repeats }: Running, sample: Sample): void {
  const figures = typeof sample === 'number' ? { '': sample } : sample
  for (const [key, value] of Object.entries(figures)) {
    const figure = key === '' ? name : `${name} ${key}`
    const known = repeats.at(-1)!.get(figure)
    if (known) known.push(value)
    else repeats.at(-1)!.set(figure, [value])
  }
}

/** Of every figure: the median of each repeat. */
function mediansOf(running: readonly Running[]): Map<string, number[]> {
  const medians = new Map<string, number[]>()
  for (const { repeats } of running) {
    for (const figure of repeats[0]?.keys() ?? []) {
      medians.set(
        figure,
        repeats.map((samples) => median(samples.get(figure) ?? [])),
      )
    }
  }
  return medians
}

function judge(goal: Goal, medians: ReadonlyMap<string, number[]>, missing: Readonly<Record<string, string>>): Verdict {
  const ours = medians.get(goal.ours)
  const theirs = goal.than === undefined ? undefined : medians.get(goal.than)
  for (const name of [goal.ours, goal.than]) {
    if (name === undefined || medians.has(name)) continue
    const key = Object.keys(missing).find((known) => name.startsWith(known))
    return { goal, why: `${name}: ${key === undefined ? 'not measured' : missing[key]}` }
  }
  const values = ours!.map((value, i) => {
    if (theirs === undefined) return value
    return goal.faster === undefined ? value / theirs[i]! : theirs[i]! / value
  })
  const value = median(values)
  const least = goal.faster ?? goal.atLeast ?? Number.NEGATIVE_INFINITY
  const most = goal.within ?? goal.atMost ?? Number.POSITIVE_INFINITY
  return {
    goal,
    value,
    lowest: Math.min(...values),
    highest: Math.max(...values),
    isMet: value >= least && value <= most,
  }
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** Milliseconds of one call, on average over a block. */
export async function timed(calls: number, call: (i: number) => unknown): Promise<number> {
  const startedAt = performance.now()
  for (let i = 0; i < calls; i++) await call(i)
  return (performance.now() - startedAt) / calls
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0]!.slice(0, 160)
}
