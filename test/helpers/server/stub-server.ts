import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Caller } from '../../../src/model/caller.ts'
import { CALLER_PATH } from '../../../src/model/network/paths.ts'

/** A request as a server has received it. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  /** What its JSON says; undefined where it has no body. */
  readonly body: unknown
  readonly response: ServerResponse
  json(value: unknown, status?: number): void
  /** Breaks the connection instead of answering. */
  drop(): void
}

export interface StubServer {
  readonly url: string
  /** What was asked, but for who asks. */
  readonly received: readonly Received[]
}

export const ADMIN: Caller = { id: 'local', kind: 'local', verified: true, via: 'http' }

/** A server that says whatever a test wants it to say. It knows by itself only who asks. */
export async function startStub(answer: (received: Received) => void): Promise<StubServer> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const taken = await take(request, response)
    if (taken.path === CALLER_PATH) return taken.json({ caller: ADMIN })
    received.push(taken)
    answer(taken)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

async function take(request: IncomingMessage, response: ServerResponse): Promise<Received> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body: text === '' ? undefined : JSON.parse(text),
    response,
    json(value, status = 200) {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    },
    drop: () => request.socket.destroy(),
  }
}
