import { Cron } from 'croner'
import type { Recurrence, Recurrences } from '../core/context.ts'
import { PosternError } from '../model/errors.ts'

/** A part of its own: few commands ever meet a plan that recurs. */

const FIELDS = 5
const MAX_CHARACTERS = 200
const MAX_ZONE_CHARACTERS = 64
const FIELD = /^[0-9A-Za-z*,/#-]+$/
const ZONE = /^[A-Za-z][A-Za-z0-9_+/-]*$/

/** What does not come within five years, such as a 31st of February, is taken for a mistake. */
const HORIZON_MS = 5 * 366 * 86_400_000

/** Patterns are read once for the many instants that are asked for. */
const MAX_KNOWN = 200

const NICKNAMES: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
}

/** Reads cron expressions. Croner tells instants and nothing else: no timer of it ever runs. */
export function createRecurrences(): Recurrences {
  const known = new Map<string, Cron>()
  const patternOf = (recurrence: Recurrence): Cron => {
    const key = `${recurrence.zone} ${recurrence.cron}`
    const pattern = known.get(key) ?? openPattern(recurrence)
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(key, pattern)
    return pattern
  }

  return {
    parseZone,

    parse(written, now) {
      const recurrence = { cron: readFields(written.cron), zone: parseZone(written.zone) }
      const first = nextOf(patternOf(recurrence), now)
      if (first === undefined) throw invalid(written.cron, 'it never comes within five years')
      return recurrence
    },

    next: (recurrence, after) => nextOf(patternOf(recurrence), after),
  }
}

function nextOf(pattern: Cron, after: number): number | undefined {
  const next = pattern.nextRun(new Date(after))?.getTime()
  return next === undefined || next > after + HORIZON_MS ? undefined : next
}

function openPattern({ cron, zone }: Recurrence): Cron {
  try {
    return new Cron(cron, { mode: '5-part', timezone: zone, paused: true })
  } catch (error) {
    throw invalid(cron, complaintOf(cron), error)
  }
}

const PARTS = [
  ['minute', '0 to 59'],
  ['hour', '0 to 23'],
  ['day of the month', '1 to 31'],
  ['month', '1 to 12, or JAN to DEC'],
  ['day of the week', '0 to 7, or SUN to SAT'],
] as const

/** Names the field that Croner refuses. Croner's own words count months and days from 0. */
function complaintOf(cron: string): string {
  const fields = cron.split(' ')
  const at = fields.findIndex((field, place) => {
    try {
      new Cron(fields.map((_, other) => (other === place ? field : '*')).join(' '), { mode: '5-part', paused: true })
      return false
    } catch {
      return true
    }
  })
  const [name, range] = PARTS[at] ?? ['field', 'other values']
  return `the ${name} "${fields[at] ?? cron}" is wrong; it takes ${range}`
}

/** Five fields with one space between them. Seconds, years, `?` and whatever depends on when it is read are refused. */
function readFields(written: string): string {
  if (written.length > MAX_CHARACTERS) throw invalid(written, `it has more than ${MAX_CHARACTERS} characters`)
  const trimmed = written.trim()
  const nicknamed = NICKNAMES[trimmed.toLowerCase()]
  if (nicknamed !== undefined) return nicknamed
  const fields = trimmed.split(/[ \t]+/)
  if (trimmed.startsWith('@')) throw invalid(written, 'that name is not known')
  const count = trimmed === '' ? 0 : fields.length
  if (count !== FIELDS) throw invalid(written, `it has ${count} ${count === 1 ? 'field' : 'fields'}`)
  const odd = fields.find((field) => !FIELD.test(field))
  if (odd !== undefined) throw invalid(written, `"${odd}" is no field`)
  return fields.join(' ')
}

/** The name as the machine's list has it, whatever its capitals. */
function parseZone(written: string): string {
  try {
    if (written.length > MAX_ZONE_CHARACTERS || !ZONE.test(written)) throw new RangeError('not a name')
    const known = new Intl.DateTimeFormat('en', { timeZone: written }).resolvedOptions().timeZone
    return known.toLowerCase() === written.toLowerCase() ? known : written
  } catch (error) {
    throw new PosternError('ZONE_UNKNOWN', { zone: written }, { cause: error })
  }
}

function invalid(cron: string, reason: string, cause?: unknown): PosternError {
  return new PosternError('CRON_INVALID', { cron, reason }, { cause })
}
