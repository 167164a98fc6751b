/** One line of JSON for everything that goes wrong: a dotted event and its fields. Ids yes, bodies and secrets never. */
export interface Log {
  warn(event: string, fields?: Readonly<Record<string, unknown>>): void
}

/** Whoever can make something go wrong as often as they like must not fill the disk with it. */
const LINES_PER_MINUTE = 60
const MINUTE_MS = 60_000

interface Minute {
  readonly endsAt: number
  /** What was said last: the same again says nothing new. */
  last: string
  written: number
  passedOver: number
}

export function createLog(write: (line: string) => void, now: () => number = Date.now): Log {
  const minutes = new Map<string, Minute>()

  function line(event: string, fields: Readonly<Record<string, unknown>>): void {
    write(JSON.stringify({ at: new Date(now()).toISOString(), level: 'warn', event, ...fields }))
  }

  function minuteOf(event: string): Minute {
    const known = minutes.get(event)
    if (known && now() < known.endsAt) return known
    if (known && known.passedOver > 0) line('log.passed-over', { of: event, lines: known.passedOver })
    const next = { endsAt: now() + MINUTE_MS, last: '', written: 0, passedOver: 0 }
    minutes.set(event, next)
    return next
  }

  return {
    warn(event, fields = {}) {
      const minute = minuteOf(event)
      const said = JSON.stringify(fields)
      if (said === minute.last || minute.written >= LINES_PER_MINUTE) {
        minute.passedOver++
        return
      }
      minute.last = said
      minute.written++
      line(event, fields)
    },
  }
}

export const SILENT: Log = { warn() {} }
