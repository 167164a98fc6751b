import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { standIn } from './stand-ins.ts'

const ADDRESSES: readonly string[] = ['host', 'origin']
const NAMES: readonly string[] = ['mcp-name']

export interface Bridge {
  readonly url: string
  close(): void
}

/**
 * A way to `/mcp` for a program that cannot show a token: it adds one and hands everything else on. `Host` and `Origin`
 * name its own port, which becomes the server's; their names stay, so that a stranger's is still refused.
 */
export async function startTokenProxy(target: string, token: string): Promise<Bridge> {
  const { hostname, port } = new URL(target)
  const proxy = createServer(async (incoming, response) => {
    const { port: own } = proxy.address() as AddressInfo
    const { method, url: path } = incoming
    const { body, names } = replaced(await text(incoming))
    const headers = headersOf(incoming, (name, value) => {
      if (ADDRESSES.includes(name)) return value.replace(`:${own}`, `:${port}`)
      return NAMES.includes(name) ? (names.get(value) ?? value) : value
    })
    const length = method === 'POST' ? { 'content-length': Buffer.byteLength(body) } : {}
    const outgoing = request({
      hostname,
      port,
      method,
      path,
      headers: { ...headers, ...length, authorization: `Bearer ${token}` },
    })
    outgoing.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      response.flushHeaders()
      answer.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    response.on('close', () => outgoing.destroy())
    outgoing.end(body)
  })
  return { url: await listen(proxy), close: () => close(proxy) }
}

function headersOf({ headers }: IncomingMessage, change: (name: string, value: string) => string) {
  const entries = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return Object.fromEntries(entries.map(([name, value]) => [name, change(name, value)]))
}

/** The body with stand-ins, and which name became which: newer revisions repeat it in a header. */
function replaced(body: string): { readonly body: string; readonly names: ReadonlyMap<string, string> } {
  try {
    const message = JSON.parse(body)
    const changed = standIn(message)
    const named = ['name', 'uri'].map((key): [string, string] => [message.params?.[key], changed.params?.[key]])
    // What needs no stand-in goes on byte by byte.
    return { body: changed === message ? body : JSON.stringify(changed), names: new Map(named) }
  } catch {
    return { body, names: new Map() }
  }
}

export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

export function close(server: Server): void {
  server.closeAllConnections()
  server.close()
}
