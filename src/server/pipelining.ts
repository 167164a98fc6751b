import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type Handle = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Answers the requests of one connection one after the other. A client that pipelines gets its answers in order, and has
 * no more requests running than a client that waits for each answer.
 */
export interface Pipelining {
  readonly take: Handle
  /** Whether the client would take bytes that are written to the connection now for an answer, or for a part of one. */
  isAnswering(socket: Socket): boolean
  /** From now on the server closes each connection after its next answer. */
  end(): void
}

interface Line {
  current: ServerResponse
  readonly ahead: (() => void)[]
}

/** A client that reads its answers never has this many requests open on one connection. */
const MAX_AHEAD = 64

export function createPipelining(handle: Handle): Pipelining {
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
