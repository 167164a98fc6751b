import { Agent, type IncomingMessage, request } from 'node:http'
import type { Served } from './servers.ts'

/** As little as can be between a benchmark and a server: connections that stay open, and JSON. */
export class Requests {
  readonly #agent: Agent
  readonly #served: Served

  constructor(served: Served, connections: number) {
    this.#served = served
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections })
  }

  /** Resolves with the status once the whole answer is there. */
  post(path: string, body: unknown): Promise<number> {
    const text = JSON.stringify(body)
    return new Promise((resolve, reject) => {
      const sent = request(
        `${this.#served.url}${path}`,
        {
          method: 'POST',
          agent: this.#agent,
          headers: {
            authorization: `Bearer ${this.#served.token}`,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(text),
          },
        },
        (answer) => {
          answer.resume()
          answer.on('end', () => resolve(answer.statusCode!))
          answer.on('error', reject)
        },
      )
      sent.on('error', reject)
      sent.end(text)
    })
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
    this.#agent.destroy()
  }
}
