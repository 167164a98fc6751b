/**
 * Durations as people and standards write them: `30s`, `1h30m`, `5 hours`, `PT5H`.
 *
 * Months and years are refused, because they have no fixed length; so is a bare number, because nobody can tell its
 * unit. Parts go from the larger unit to the smaller, each at most once.
 */

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS

const MAX_CHARACTERS = 100

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ...names(WEEK_MS, 'w', 'week', 'weeks'),
  ...names(DAY_MS, 'd', 'day', 'days'),
  ...names(HOUR_MS, 'h', 'hr', 'hrs', 'hour', 'hours'),
  ...names(MINUTE_MS, 'm', 'min', 'mins', 'minute', 'minutes'),
  ...names(SECOND_MS, 's', 'sec', 'secs', 'second', 'seconds'),
  ...names(1, 'ms', 'millisecond', 'milliseconds'),
])

const ISO_DATE_MS: ReadonlyMap<string, number> = new Map([
  ['W', WEEK_MS],
  ['D', DAY_MS],
])

const ISO_TIME_MS: ReadonlyMap<string, number> = new Map([
  ['H', HOUR_MS],
  ['M', MINUTE_MS],
  ['S', SECOND_MS],
])

/** Milliseconds, or undefined where the text is no duration. Takes time linear in the text. */
export function parseDuration(text: string): number | undefined {
  if (text.length > MAX_CHARACTERS) return undefined
  const trimmed = text.trim()
  return trimmed.startsWith('P') ? parseIso(trimmed) : sumParts(trimmed, wordUnit)
}

/** The two largest units that matter: `1h 30m`, `45s`, `0.2s`. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return String(ms)
  if (ms < 0) return `-${formatDuration(-ms)}`
  const tenths = Math.round(ms / 100) / 10
  if (tenths < 10) return ms > 0 && tenths === 0 ? '<0.1s' : `${tenths}s`

  let rest = roundToShown(ms)
  const shown: string[] = []
  for (const [unit, unitMs] of SHOWN_UNITS) {
    const count = Math.floor(rest / unitMs)
    rest -= count * unitMs
    if (count > 0) shown.push(`${count}${unit}`)
    else if (shown.length > 0) break
    if (shown.length === 2) break
  }
  return shown.join(' ')
}

const SHOWN_UNITS = [
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['m', MINUTE_MS],
  ['s', SECOND_MS],
] as const

/** Rounds to the smaller of the two units that are shown, so that no part ever reads `60s`. */
function roundToShown(ms: number): number {
  const step = ms >= DAY_MS ? HOUR_MS : ms >= HOUR_MS ? MINUTE_MS : SECOND_MS
  return Math.round(ms / step) * step
}

function parseIso(text: string): number | undefined {
  const [date = '', time, ...more] = text.slice(1).split('T')
  if (more.length > 0 || (date === '' && time === undefined)) return undefined
  const dateMs = date === '' ? 0 : sumParts(date, (unit) => ISO_DATE_MS.get(unit))
  const timeMs = time === undefined ? 0 : sumParts(time, (unit) => ISO_TIME_MS.get(unit))
  if (dateMs === undefined || timeMs === undefined || text.includes(' ')) return undefined
  return dateMs + timeMs
}

function sumParts(text: string, unitMs: (unit: string) => number | undefined): number | undefined {
  // Sticky, so that every match begins where the last one ended and junk between parts is noticed.
  const part = /(\d+(?:\.\d+)?) ?([A-Za-z]+) ?/y
  let total = 0
  let smallest = Number.POSITIVE_INFINITY
  while (part.lastIndex < text.length) {
    const [, amount = '', unit = ''] = part.exec(text) ?? []
    const size = unitMs(unit)
    if (size === undefined || size >= smallest) return undefined
    smallest = size
    total += Number(amount) * size
  }
  const rounded = Math.round(total)
  return smallest === Number.POSITIVE_INFINITY || !Number.isSafeInteger(rounded) ? undefined : rounded
}

/** Words may begin with a capital letter; short units may not, for `M` means months elsewhere. */
function wordUnit(unit: string): number | undefined {
  return UNIT_MS.get(unit.length > 2 ? unit.toLowerCase() : unit)
}

function names(ms: number, ...units: readonly string[]): [string, number][] {
  return units.map((unit) => [unit, ms])
}
