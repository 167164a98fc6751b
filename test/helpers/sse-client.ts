import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { createSseParser, type SseEvent } from '../../src/kit/pure/sse.ts'

/** One connection of a client that follows events, byte by byte in the hands of the test. */
export interface SseConnection {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** Everything that came, as it came. */
  readonly text: string
  readonly events: readonly SseEvent[]
  /** The last id that the stream has named, with an event or alone. */
  readonly lastId: string
  readonly isEnded: boolean
  readonly ended: Promise<void>
  /** Resolves once this holds; it is looked at after everything that comes, and at the end. */
  until(holds: (events: readonly SseEvent[]) => boolean): Promise<void>
  /** Takes nothing more from the connection, so that it fills up. */
  stall(): void
  goOn(): void
  close(): void
}

export interface SseOptions {
  readonly token: string
  readonly lastId?: string
  readonly query?: string
  /** The stream of events by default. */
  readonly path?: string
  /** Reads nothing at all, from the first byte on. */
  readonly isStalled?: boolean
}

export function connectSse(url: string, options: SseOptions): Promise<SseConnection> {
  const { token, lastId, query = '', path = '/api/v1/events', isStalled } = options
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
      ...(lastId !== undefined && { 'last-event-id': lastId }),
    }
    const asking: ClientRequest = request(`${url}${path}${query}`, { headers, agent: false })
    asking.on('error', reject)
    asking.on('response', (response) => {
      asking.off('error', reject).on('error', () => {})
      resolve(readStream(asking, response, isStalled ?? false))
    })
    asking.end()
  })
}

function readStream(asking: ClientRequest, response: IncomingMessage, isStalled: boolean): SseConnection {
  const parser = createSseParser()
  const events: SseEvent[] = []
  const waiting = new Set<() => void>()
  let text = ''
  let isEnded = false
  const look = () => {
    for (const each of [...waiting]) each()
  }
  response.setEncoding('utf8')
  const take = (piece: string) => {
    text += piece
    events.push(...parser.push(piece))
    look()
  }
  if (isStalled) response.pause()
  else response.on('data', take)
  const ended = new Promise<void>((resolve) => {
    response.on('error', () => {})
    response.once('close', () => {
      isEnded = true
      look()
      resolve()
    })
  })
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    ended,
    get text() {
      return text
    },
    get lastId() {
      return [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? ''
    },
    get isEnded() {
      return isEnded
    },
    until: (holds) =>
      new Promise((resolve, reject) => {
        const settle = () => {
          if (holds(events)) resolve()
          else if (isEnded) reject(new Error(`the stream ended after ${events.length} events`))
          else return
          waiting.delete(settle)
        }
        waiting.add(settle)
        settle()
      }),
    stall: () => void response.pause(),
    goOn: () => void response.resume(),
    close: () => void asking.destroy(),
  }
}
