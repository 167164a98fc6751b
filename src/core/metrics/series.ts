import { ulidFloor } from '../../kit/pure/ulid.ts'
import { PosternError } from '../../model/errors.ts'
import {
  type AgentTokens,
  METRIC_WINDOWS,
  type MetricSeries,
  type MetricWindow,
  type Percentiles,
} from '../../model/metrics.ts'
import type { DeliverySample, OfferSample, WaitingSample } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { createSteps, type Steps } from './steps.ts'

const MINUTE_MS = 60_000

const SHAPES: Readonly<Record<MetricWindow, { readonly stepMs: number; readonly count: number }>> = {
  hour: { stepMs: MINUTE_MS, count: 60 },
  day: { stepMs: 15 * MINUTE_MS, count: 96 },
  week: { stepMs: 120 * MINUTE_MS, count: 84 },
}

/** No look reads more than this, however much has happened. */
const SAMPLES = 20_000
const PRIORITIES = 5
const AGENTS = 20
/** As text is measured where it is shown; what stands around it is not counted. */
const CHARACTERS_PER_TOKEN = 3.5

/** What has happened over a while, for plots. It only reads, and no more than a bounded number of rows. */
export async function metricSeries(
  ctx: Context,
  { window = 'hour' }: { readonly window?: MetricWindow } = {},
): Promise<MetricSeries> {
  if (!METRIC_WINDOWS.includes(window)) {
    const next = `Use one of ${METRIC_WINDOWS.join(', ')}.`
    throw new PosternError('VALUE_INVALID', { field: 'window', value: window, next })
  }
  const steps = createSteps(ctx.store.now(), SHAPES[window])
  const { history } = ctx.store.read
  const floor = ulidFloor(steps.from)
  const pushed = await history.pushed({ fromId: `msg_${floor}`, limit: SAMPLES })
  const delivered = await history.delivered({ fromId: `msg_${floor}`, limit: SAMPLES })
  const waiting = await history.waiting({ limit: SAMPLES })
  const older = waiting.filter(({ createdAt }) => createdAt < steps.from)
  const offers = await history.offered({ fromId: `off_${floor}`, limit: SAMPLES })
  return {
    window,
    stepMs: steps.ms,
    at: steps.at,
    pushed: countAt(steps, pushed),
    ...backlog(steps, delivered, older),
    seenMs: timesToSeen(steps, delivered),
    hookMs: percentiles(steps, offers.flatMap(printing)),
    redelivered: countRedelivered(steps, offers),
    tokens: tokensShown(steps, delivered),
    isPartial: [pushed, delivered, waiting, offers].some(({ length }) => length >= SAMPLES),
  }
}

function countAt(steps: Steps, times: readonly number[]): readonly number[] {
  const counts = steps.fill(0)
  for (const at of times) steps.add(counts, at, 1)
  return counts
}

interface Backlog {
  readonly pending: readonly (readonly number[])[]
  readonly oldestMs: readonly (number | null)[]
}

/** What was there at the end of each step. What was pushed before the first and has gone since is not known any more. */
function backlog(steps: Steps, delivered: readonly DeliverySample[], waiting: readonly WaitingSample[]): Backlog {
  const pending = Array.from({ length: PRIORITIES }, () => steps.fill(0))
  const oldest = steps.fill<number | null>(null)
  const stay = ({ createdAt, priority }: WaitingSample, leftAt: number | null) => {
    const last = leftAt === null ? steps.at.length : steps.indexOf(leftAt)
    for (let step = Math.max(0, steps.indexOf(createdAt)); step < last; step++) {
      const end = steps.endOf(step)
      const row = pending[priority]
      if (row) row[step] = (row[step] ?? 0) + 1
      oldest[step] = Math.max(oldest[step] ?? 0, end - createdAt)
    }
  }
  for (const each of waiting) stay(each, null)
  for (const each of delivered) stay(each, leftAt(each))
  return { pending, oldestMs: oldest }
}

function leftAt({ state, seenAt, movedAt }: DeliverySample): number | null {
  if (state === 'pending' || state === 'offered') return null
  return seenAt ?? movedAt
}

interface Timed {
  readonly at: number
  readonly ms: number
}

function timesToSeen(steps: Steps, delivered: readonly DeliverySample[]): Percentiles {
  const seen = delivered.flatMap(({ createdAt, seenAt }) =>
    seenAt === null ? [] : [{ at: seenAt, ms: Math.max(0, seenAt - createdAt) }],
  )
  return percentiles(steps, seen)
}

function printing({ sessionId, offeredAt, printedAt }: OfferSample): Timed[] {
  return sessionId === null || printedAt === null ? [] : [{ at: offeredAt, ms: Math.max(0, printedAt - offeredAt) }]
}

function percentiles(steps: Steps, times: readonly Timed[]): Percentiles {
  const groups = steps.at.map((): number[] => [])
  for (const { at, ms } of times) groups[steps.indexOf(at)]?.push(ms)
  const sorted = groups.map((group) => group.toSorted((a, b) => a - b))
  const at = (share: number) => sorted.map((group) => group[Math.ceil(group.length * share) - 1] ?? null)
  return { p50: at(0.5), p95: at(0.95) }
}

function countRedelivered(steps: Steps, offers: readonly OfferSample[]): readonly number[] {
  const counts = steps.fill(0)
  for (const { outcome, closedAt, size } of offers) {
    if (closedAt !== null && outcome !== 'confirmed') steps.add(counts, closedAt, size)
  }
  return counts
}

function tokensShown(steps: Steps, delivered: readonly DeliverySample[]): readonly AgentTokens[] {
  const byAgent = new Map<string, number[]>()
  for (const { agent, seenAt, characters } of delivered) {
    if (seenAt === null) continue
    const shown = byAgent.get(agent) ?? steps.fill(0)
    byAgent.set(agent, shown)
    steps.add(shown, seenAt, Math.ceil(characters / CHARACTERS_PER_TOKEN))
  }
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  return [...byAgent]
    .map(([agent, shown]) => ({ agent, shown }))
    .toSorted((a, b) => sum(b.shown) - sum(a.shown))
    .slice(0, AGENTS)
}
