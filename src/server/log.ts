import { escapeUnseen } from '../kit/pure/escape-unseen.ts'
import { levelOf } from './log-levels.ts'

/** One line of JSON for each event: its level, its dotted name and its fields. Ids yes, bodies and secrets never. */
export interface Log {
  note(event: string, fields?: Readonly<Record<string, unknown>>): void
}

/** A request that was answered. */
export interface AnsweredRequest {
  readonly requestId: string
  readonly method: string
  /** Without its query, which may hold a ticket. */
  readonly path: string
  /** Null where the client went before it had an answer. */
  readonly status: number | null
  readonly ms: number
  /** Who has asked; null where nobody had to say so, or nobody believed it. */
  readonly caller: string | null
}

export type AccessLog = (answered: AnsweredRequest) => void

/** A client that can make something go wrong as often as it likes must not fill the disk with it. */
const LINES_PER_MINUTE = 60
const MINUTE_MS = 60_000
const PATH_CHARACTERS = 500

interface Minute {
  readonly endsAt: number
  /** What was noted last: the same again says nothing new. */
  last: string
  written: number
  passedOver: number
}

type Write = (line: string) => void

export function createLog(write: Write, now: () => number = Date.now): Log {
  const minutes = new Map<string, Minute>()

  function minuteOf(event: string): Minute {
    const known = minutes.get(event)
    if (known && now() < known.endsAt) return known
    if (known && known.passedOver > 0)
      write(formatLine(now(), 'log.passed-over', { of: event, lines: known.passedOver }))
    const next = { endsAt: now() + MINUTE_MS, last: '', written: 0, passedOver: 0 }
    minutes.set(event, next)
    return next
  }

  return {
    note(event, fields = {}) {
      const minute = minuteOf(event)
      const noted = JSON.stringify(fields)
      if (noted === minute.last || minute.written >= LINES_PER_MINUTE) {
        minute.passedOver++
        return
      }
      minute.last = noted
      minute.written++
      write(formatLine(now(), event, fields))
    },
  }
}

/** Writes a line for every request, however many there are: its owner has asked for that. */
export function createAccessLog(write: Write, now: () => number = Date.now): AccessLog {
  return ({ path, ...fields }) =>
    write(formatLine(now(), 'request.answered', { ...fields, path: path.slice(0, PATH_CHARACTERS) }))
}

function formatLine(at: number, event: string, fields: object): string {
  return escapeUnseen(JSON.stringify({ at: new Date(at).toISOString(), level: levelOf(event), event, ...fields }))
}

export const SILENT: Log = { note() {} }
