const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How long something lasts, by its largest unit: `45 s`, `12 min`, `3 h`, `2 d`. */
export function formatSpan(ms: number): string {
  const span = Math.abs(ms)
  if (span < SECOND) return `${Math.round(span)} ms`
  if (span < MINUTE) return `${Math.floor(span / SECOND)} s`
  if (span < HOUR) return `${Math.floor(span / MINUTE)} min`
  if (span < 2 * DAY) return `${Math.floor(span / HOUR)} h`
  return `${Math.floor(span / DAY)} d`
}

/** A moment as seen from another: `now`, `12 min ago`, `in 3 h`; after a week its date. */
export function formatRelative(at: number, now: number): string {
  const past = now - at
  if (Math.abs(past) < 5 * SECOND) return 'now'
  if (Math.abs(past) > 7 * DAY) return formatDate(at, now)
  return past > 0 ? `${formatSpan(past)} ago` : `in ${formatSpan(past)}`
}

/** The same without words around it, where the place says what is meant. */
export function formatShort(at: number, now: number): string {
  const past = now - at
  if (Math.abs(past) < 5 * SECOND) return 'now'
  return Math.abs(past) > 7 * DAY ? formatDate(at, now) : formatSpan(past)
}

function formatDate(at: number, now: number): string {
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear()
  return new Intl.DateTimeFormat('en', {
    day: 'numeric',
    month: 'short',
    ...(!isThisYear && { year: 'numeric' }),
  }).format(at)
}

const ABSOLUTE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' })
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const EXACT_CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const DAY_NAME = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' })

export const formatAbsolute = (at: number): string => ABSOLUTE.format(at)
export const formatClock = (at: number): string => CLOCK.format(at)
export const formatExactClock = (at: number): string => EXACT_CLOCK.format(at)
export const formatDay = (at: number): string => DAY_NAME.format(at)

/** Bytes by the largest unit that keeps a digit before the point. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(bytes < 10_000 ? 1 : 0)} KB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
