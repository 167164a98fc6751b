/** The parts of an id. */
export interface MsgId {
  /** `YYYYMMDDHHMMSSnnnnnnnnn`, in UTC: of two such texts the later time is the greater one. */
  readonly time: string
  readonly pid: number
  readonly count: number
}

export interface MsgIdParts {
  /** Nanoseconds since the epoch. */
  readonly at: bigint
  readonly pid: number
  readonly count: number
}

const FORM = /^MSG-(\d{8})-(\d{6})-(\d{9})-PID(\d{5,10})-(\d{4,10})$/
const NS_OF_MS = 1_000_000
const NS_OF_SECOND = 1_000_000_000
/** The second after the last of which a date has four digits for its year. */
const END = 253_402_300_800

export function formatMsgId({ at, pid, count }: MsgIdParts): string {
  const seconds = at / BigInt(NS_OF_SECOND)
  const nanoseconds = Number(at - seconds * BigInt(NS_OF_SECOND))
  return formatParts({ seconds: Number(seconds), nanoseconds }, pid, count)
}

/** As one number it would be too large to be exact, or slow. */
interface Time {
  readonly seconds: number
  readonly nanoseconds: number
}

function formatParts({ seconds, nanoseconds }: Time, pid: number, count: number): string {
  return `MSG-${formatSecond(seconds)}-${padded(nanoseconds, 9)}-PID${padded(pid, 5)}-${padded(count, 4)}`
}

/** The last one that was formatted: those who write many ids write them within it. */
let lately = { seconds: Number.NaN, text: '' }

function formatSecond(seconds: number): string {
  if (lately.seconds !== seconds) {
    const date = new Date(seconds * 1000).toISOString()
    const [day, time] = [date.slice(0, 10).replaceAll('-', ''), date.slice(11, 19).replaceAll(':', '')]
    lately = { seconds, text: `${day}-${time}` }
  }
  return lately.text
}

/** Undefined for ids of any other form, and for those whose time never was. */
export function parseMsgId(text: string): MsgId | undefined {
  const [, day = '', time = '', rest = '', pid, count] = FORM.exec(text) ?? []
  const parsed = `${day}${time}${rest}`
  if (readTime(parsed) === undefined) return undefined
  return { time: parsed, pid: Number(pid), count: Number(count) }
}

/**
 * The ids of entries that follow others. The time of each is the clock's, or a nanosecond after that of the one before
 * where the clock is behind, so that ids rise within a bus whatever clocks do.
 */
export class NextMsgIds {
  #before: Time | undefined

  /** Those to come are later than this one, too. */
  follow(last: string | undefined): this {
    const parsed = last === undefined ? undefined : parseMsgId(last)
    const time = parsed && readTime(parsed.time)
    if (time && !(this.#before && isLater(this.#before, time))) this.#before = time
    return this
  }

  next(nowMs: number, pid: number, count: number): string {
    const seconds = Math.floor(nowMs / 1000)
    const now = { seconds, nanoseconds: Math.floor((nowMs - seconds * 1000) * NS_OF_MS) }
    this.#before = this.#before && !isLater(now, this.#before) ? (after(this.#before) ?? now) : now
    return formatParts(this.#before, pid, count)
  }
}

function isLater(a: Time, b: Time): boolean {
  return a.seconds === b.seconds ? a.nanoseconds > b.nanoseconds : a.seconds > b.seconds
}

/** After the end of time nothing can be greater: such an id is a lie, and readers find their way without order. */
function after({ seconds, nanoseconds }: Time): Time | undefined {
  if (nanoseconds + 1 < NS_OF_SECOND) return { seconds, nanoseconds: nanoseconds + 1 }
  return seconds + 1 < END ? { seconds: seconds + 1, nanoseconds: 0 } : undefined
}

export function nextMsgId(last: string | undefined, nowMs: number, pid: number, count: number): string {
  return new NextMsgIds().follow(last).next(nowMs, pid, count)
}

function readTime(time: string): Time | undefined {
  const form = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{9})$/.exec(time)
  if (form === null) return undefined
  const [, year, month, day, hour, minute, second, rest] = form
  const text = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
  const ms = Date.parse(text)
  // The 31st of February is a date too, for some.
  if (Number.isNaN(ms) || new Date(ms).toISOString() !== text) return undefined
  return { seconds: ms / 1000, nanoseconds: Number(rest) }
}

function padded(value: number, digits: number): string {
  return String(value).padStart(digits, '0')
}
