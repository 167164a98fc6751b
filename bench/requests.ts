import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Served } from './servers.ts'

/**
 * As little as can be between a benchmark and a server: connections that stay open, and whole requests and answers of
 * HTTP on them. It shares the processors with the server, so a client with streams and events would be measured too.
 */
export class Requests {
  readonly #served: Served
  readonly #connections: number
  readonly #idle: Connection[] = []
  readonly #waiting: ((connection: Connection) => void)[] = []
  readonly #open = new Set<Connection>()

  constructor(served: Served, connections: number) {
    this.#served = served
    this.#connections = connections
  }

  /** Resolves with the status once the whole answer is there. */
  async post(path: string, body: unknown): Promise<number> {
    const text = JSON.stringify(body)
    const { host } = new URL(this.#served.url)
    const connection = await this.#take()
    try {
      return await connection.ask(
        `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${this.#served.token}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
      )
    } finally {
      const next = this.#waiting.shift()
      if (next) next(connection)
      else this.#idle.push(connection)
    }
  }

  /** A stream of events, which nobody has to read. */
  follow(): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${this.#served.token}`, accept: 'text/event-stream' }
      const sent = request(`${this.#served.url}/api/v1/events`, { agent: false, headers }, (answer) =>
        answer.statusCode === 200 ? resolve(answer) : reject(new Error(`status ${answer.statusCode}`)),
      )
      sent.on('error', reject)
      sent.end()
    })
  }

  close(): void {
    for (const connection of this.#open) connection.close()
  }

  async #take(): Promise<Connection> {
    const idle = this.#idle.pop()
    if (idle) return idle
    if (this.#open.size >= this.#connections) return new Promise((resolve) => this.#waiting.push(resolve))
    const { hostname, port } = new URL(this.#served.url)
    const socket = connect(Number(port), hostname).setNoDelay(true)
    const connection = new Connection(socket)
    this.#open.add(connection)
    await once(socket, 'connect')
    return connection
  }
}

/** One request after the other; an answer without its length is none that the server gives. */
class Connection {
  readonly #socket: Socket
  #text = ''
  #asked: { resolve(status: number): void; reject(error: Error): void } | undefined

  constructor(socket: Socket) {
    this.#socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => this.#take(text))
    socket.on('error', (error) => this.#asked?.reject(error))
    socket.on('close', () => this.#asked?.reject(new Error('the server has closed the connection')))
  }

  ask(request: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#asked = { resolve, reject }
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#asked = undefined
    this.#socket.destroy()
  }

  #take(text: string): void {
    this.#text += text
    const headersEnd = this.#text.indexOf('\r\n\r\n')
    if (headersEnd < 0) return
    const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(this.#text) ?? []
    const [, length] = /\r\ncontent-length: (\d+)\r\n/i.exec(this.#text.slice(0, headersEnd + 2)) ?? []
    if (this.#text.length < headersEnd + 4 + Number(length ?? 0)) return
    this.#text = ''
    const { resolve } = this.#asked ?? {}
    this.#asked = undefined
    resolve?.(Number(status))
  }
}
