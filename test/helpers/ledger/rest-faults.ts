import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isShown, type MirrorFaults, throughFaults } from './mirror-faults.ts'

interface Relay {
  readonly port: number
  close(): Promise<void>
}

interface Message {
  sequence_number: number
  message: string
}

/** Asks the mirror at a URL, and answers with what the faults leave of it. */
export async function relayRest(url: string, faults: MirrorFaults, asked: { rest: number }): Promise<Relay> {
  const server = createServer(async (request, response) => {
    asked.rest++
    if (refuses(faults, response)) return
    try {
      const upstream = await fetch(new URL(request.url ?? '/', url))
      const body = withFaults(await upstream.json(), faults)
      answer(response, body === undefined ? 404 : upstream.status, body ?? notFound(), faults)
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function refuses(faults: MirrorFaults, response: ServerResponse): boolean {
  if (faults.tooMany > 0) {
    faults.tooMany--
    const headers = faults.retryAfter === null ? {} : { 'retry-after': String(faults.retryAfter) }
    response.writeHead(429, headers).end('{"_status":{"messages":[{"message":"Too Many Requests"}]}}')
    return true
  }
  if (faults.failures > 0) {
    faults.failures--
    response.writeHead(503).end('{"_status":{"messages":[{"message":"Service Unavailable"}]}}')
    return true
  }
  return false
}

/** Undefined: as if it were not there. */
function withFaults(body: unknown, faults: MirrorFaults): unknown {
  const read = body as Partial<Message> & { messages?: Message[]; links?: unknown }
  if (read.messages) {
    const messages = throughFaults(read.messages, faults, sequenceOf).map((message) => altered(message, faults))
    const isHeldBack = read.messages.some(
      ({ sequence_number: at }) => faults.hideAfter !== null && at > faults.hideAfter,
    )
    return { ...read, messages, links: isHeldBack ? { next: null } : read.links }
  }
  if (read.sequence_number === undefined) return body
  return isShown(read.sequence_number, faults) ? altered(body as Message, faults) : undefined
}

function sequenceOf({ sequence_number: sequence }: Message): number {
  return sequence
}

function altered(message: Message, { alter }: MirrorFaults): Message {
  return alter ? { ...message, message: alter(message.sequence_number, message.message) } : message
}

function notFound(): unknown {
  return { _status: { messages: [{ message: 'Not found' }] } }
}

function answer(response: ServerResponse, status: number, body: unknown, faults: MirrorFaults): void {
  const text = JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  if (faults.cutPages === 0) return void response.end(text)
  faults.cutPages--
  response.write(text.slice(0, Math.floor(text.length / 2)), () => response.destroy())
}
