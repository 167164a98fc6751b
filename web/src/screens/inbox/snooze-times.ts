export interface SnoozeTime {
  readonly words: string
  readonly at: number
}

const HOUR_MS = 3_600_000
const MORNING = 9
const EVENING = 18

/** The moments that are offered; those that are not later than the one before are left out. */
export function snoozeTimes(now: Date): readonly SnoozeTime[] {
  const at = (days: number, hour: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour).getTime()
  const toMonday = (8 - now.getDay()) % 7 || 7
  const all: SnoozeTime[] = [
    { words: 'in an hour', at: now.getTime() + HOUR_MS },
    { words: 'this evening', at: at(0, EVENING) },
    { words: 'tomorrow morning', at: at(1, MORNING) },
    { words: 'Monday morning', at: at(toMonday, MORNING) },
    { words: 'in a week', at: at(7, MORNING) },
  ]
  let last = now.getTime()
  return all.filter((time) => {
    const isLater = time.at > last
    if (isLater) last = time.at
    return isLater
  })
}
