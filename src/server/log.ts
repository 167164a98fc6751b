/** One line of JSON for everything that goes wrong: a dotted event and its fields. Ids yes, bodies and secrets never. */
export interface Log {
  warn(event: string, fields?: Readonly<Record<string, unknown>>): void
}

/** Whoever can make something go wrong as often as they like must not fill the disk with it. */
const LINES_PER_MINUTE = 60
const MINUTE_MS = 60_000

interface Minute {
  readonly endsAt: number
  lines: number
}

export function createLog(write: (line: string) => void, now: () => number = Date.now): Log {
  const minutes = new Map<string, Minute>()

  function line(event: string, fields: Readonly<Record<string, unknown>>): void {
    write(JSON.stringify({ at: new Date(now()).toISOString(), level: 'warn', event, ...fields }))
  }

  return {
    warn(event, fields = {}) {
      const known = minutes.get(event)
      const isOver = known !== undefined && now() >= known.endsAt
      if (isOver && known.lines > LINES_PER_MINUTE) {
        line('log.passed-over', { of: event, lines: known.lines - LINES_PER_MINUTE })
      }
      const current = known && !isOver ? known : { endsAt: now() + MINUTE_MS, lines: 0 }
      current.lines++
      minutes.set(event, current)
      if (current.lines <= LINES_PER_MINUTE) line(event, fields)
    },
  }
}

export const SILENT: Log = { warn() {} }
