/** One event of a stream of server-sent events. */
export interface SseEvent {
  /** `message` where the stream gives it no name. */
  readonly event: string
  readonly data: string
  /** The last id that the stream has named; empty before it names one. */
  readonly id: string
}

export interface SseParser {
  /** Takes the next piece of the stream and returns the events that it completes. */
  push(piece: string): readonly SseEvent[]
  /** The last id that the stream has named, with an event or without. */
  readonly lastId: string
  /** How long the stream asks to wait before one comes back; undefined where it does not say. */
  readonly retryMs: number | undefined
}

const LINE_END = /\r\n|\n|\r/
const BYTE_ORDER_MARK = '\uFEFF'
const MAX_CHARACTERS = 4 * 1024 * 1024

/** Reads the format of the HTML standard. An event that the stream breaks off in the middle of is never returned. */
export function createSseParser({ maxCharacters = MAX_CHARACTERS } = {}): SseParser {
  let rest = ''
  let isBegun = false
  let isAfterReturn = false
  let data: string[] = []
  let size = 0
  let event = ''
  let id = ''
  let lastId = ''
  let retryMs: number | undefined

  return {
    push(piece) {
      if (piece === '') return []
      const text = continuation(piece)
      // A long line comes in many pieces, and is not gone through again with each of them.
      const lines = LINE_END.test(text) ? (rest + text).split(LINE_END) : [rest + text]
      rest = lines.pop() ?? ''
      if (size + rest.length > maxCharacters) throw new RangeError('the stream holds an event that is too large')
      return lines.flatMap(read)
    },
    get lastId() {
      return lastId
    },
    get retryMs() {
      return retryMs
    },
  }

  /** A line feed that only ends the carriage return before it ends no further line. */
  function continuation(piece: string): string {
    const isRest = isAfterReturn && piece.startsWith('\n')
    const text = !isBegun && piece.startsWith(BYTE_ORDER_MARK) ? piece.slice(1) : isRest ? piece.slice(1) : piece
    isBegun = true
    isAfterReturn = piece.endsWith('\r')
    return text
  }

  function read(line: string): readonly SseEvent[] {
    if (line === '') return complete()
    take(line)
    return []
  }

  function take(line: string): void {
    const colon = line.indexOf(':')
    if (colon === 0) return
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'data') {
      size += value.length + 1
      data.push(value)
    }
    if (field === 'event') event = value
    if (field === 'id' && !value.includes('\0')) id = value
    if (field === 'retry' && /^\d{1,9}$/.test(value)) retryMs = Number(value)
  }

  function complete(): readonly SseEvent[] {
    const found = data.length === 0 ? [] : [{ event: event || 'message', data: data.join('\n'), id }]
    data = []
    size = 0
    event = ''
    lastId = id
    return found
  }
}
