/** One instant at which a plan fires, or has fired. */
export interface Firing {
  readonly id: string
  readonly name: string
  readonly agent: string
  readonly at: number
  readonly isPast: boolean
}

export interface Day {
  readonly at: number
  readonly isToday: boolean
  readonly firings: readonly Firing[]
}

interface Planned {
  readonly id: string
  readonly name: string
  readonly agent: string
  readonly pausedAt: number | null
  readonly upcomingAt: readonly number[]
  readonly lastRunAt: number | null
}

const WEEKS = 4

/** Four weeks from the Monday of this one, with what fires on each day, in order. Paused plans fire on none. */
export function daysOf(plans: readonly Planned[], now: number): readonly Day[] {
  const today = new Date(now)
  const monday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - ((today.getDay() + 6) % 7))
  const firings = plans.flatMap(firingsOf).sort((one, other) => one.at - other.at)
  return Array.from({ length: WEEKS * 7 }, (_, day) => {
    const begin = new Date(monday.getFullYear(), monday.getMonth(), monday.getDate() + day)
    const end = new Date(monday.getFullYear(), monday.getMonth(), monday.getDate() + day + 1)
    return {
      at: begin.getTime(),
      isToday: begin.toDateString() === today.toDateString(),
      firings: firings.filter(({ at }) => at >= begin.getTime() && at < end.getTime()),
    }
  })
}

function firingsOf({ id, name, agent, pausedAt, upcomingAt, lastRunAt }: Planned): readonly Firing[] {
  const past = lastRunAt === null ? [] : [{ id, name, agent, at: lastRunAt, isPast: true }]
  const next = pausedAt === null ? upcomingAt.map((at) => ({ id, name, agent, at, isPast: false })) : []
  return [...past, ...next]
}
