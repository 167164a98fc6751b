import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type Handle = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Answers the requests of one connection one after the other. Whoever sends ahead may count on their order, and has no
 * more under way than whoever waits for each answer.
 */
export interface Turns {
  readonly take: Handle
  /** Whether anything said on a connection now would be taken for an answer that it is not, or for a part of one. */
  isAnswering(socket: Socket): boolean
  /** From now on every answer is the last one of its connection. */
  end(): void
}

interface Line {
  current: ServerResponse
  readonly ahead: (() => void)[]
}

/** Nobody who reads answers has as many requests open on one connection. */
const MAX_AHEAD = 64

export function createTurns(handle: Handle): Turns {
  const lines = new Map<Socket, Line>()
  let isEnding = false

  function next(socket: Socket, { ahead }: Line): void {
    const begin = socket.destroyed ? undefined : ahead.shift()
    if (begin) begin()
    else lines.delete(socket)
  }

  function begin(request: IncomingMessage, response: ServerResponse, line: Line): void {
    line.current = response
    if (isEnding) response.setHeader('connection', 'close')
    response.once('close', () => next(request.socket, line))
    handle(request, response)
  }

  return {
    take(request, response) {
      const { socket } = request
      const line = lines.get(socket)
      if (!line) {
        const opened = { current: response, ahead: [] }
        lines.set(socket, opened)
        begin(request, response, opened)
      } else if (line.ahead.length < MAX_AHEAD) line.ahead.push(() => begin(request, response, line))
      else socket.destroy()
    },

    isAnswering(socket) {
      const { current } = lines.get(socket) ?? {}
      return current !== undefined && (current.headersSent || current.req.complete)
    },

    end() {
      isEnding = true
      for (const { current } of lines.values()) if (!current.headersSent) current.setHeader('connection', 'close')
    },
  }
}
