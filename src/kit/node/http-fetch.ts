import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { request as requestSecurely, Agent as SecureAgent } from 'node:https'
import { urlToHttpOptions } from 'node:url'

/** What is sent, in the words of `fetch`. */
export interface HttpRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/** As much of a response as programs here ask for. */
export interface HttpResponse {
  readonly ok: boolean
  readonly status: number
  text(): Promise<string>
  readonly body: { getReader(): { read(): Promise<HttpPiece> } }
}

export type HttpPiece =
  | { readonly done: true; readonly value?: undefined }
  | { readonly done: false; readonly value: Uint8Array }

export interface HttpFetch {
  (url: string, asked: HttpRequest): Promise<HttpResponse>
  /** Ends every connection, also those that rest: a server has only so many of them. */
  close(): void
}

/**
 * Does what `fetch` does for a program that asks one server often, at about half its cost: over connections that stay
 * open, and without the streams of browsers. It follows no redirect. Where the connection fails it throws a TypeError with
 * the reason as its cause, as `fetch` does.
 */
export function createHttpFetch(): HttpFetch {
  const plain = { request, agent: new Agent({ keepAlive: true }) }
  const secure = { request: requestSecurely, agent: new SecureAgent({ keepAlive: true }) }
  const findPlace = rememberPlace()
  const fetch = (url: string, { method, headers, body, signal }: HttpRequest) =>
    new Promise<HttpResponse>((resolve, reject) => {
      const way = url.startsWith('https:') ? secure : plain
      const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
      const options = { ...findPlace(url), method, headers: { ...headers, ...length }, agent: way.agent, signal }
      const sent = way.request(options, (response) => {
        const isRedirect = response.headers.location !== undefined && isBetween(response, 300, 399)
        if (!isRedirect) return resolve(createResponse(response, signal))
        sent.destroy()
        reject(failure(new Error('it redirects to another address')))
      })
      sent.on('error', (error) => reject(failure(error)))
      sent.end(body)
    })
  const close = () => {
    for (const { agent } of [plain, secure]) agent.destroy()
  }
  return Object.assign(fetch, { close })
}

/** Where a request goes, in the words of Node. */
type Place = Pick<RequestOptions, 'protocol' | 'hostname' | 'port' | 'path'>

/** A server, and a path that needs no escaping. */
const PLAIN_URL = /^(https?:\/\/[^/?#]+)(\/[!"$-~]*)$/

/** Takes a URL apart. One server is asked again and again, so the part that names it is parsed once. */
function rememberPlace(): (url: string) => Place {
  let known: { readonly origin: string; readonly server: Place } | undefined
  return (url) => {
    const [, origin, path] = PLAIN_URL.exec(url) ?? []
    if (origin === undefined || path === undefined) return placeOf(url)
    if (known?.origin !== origin) known = { origin, server: placeOf(origin) }
    return { ...known.server, path }
  }
}

function placeOf(url: string): Place {
  const { protocol, hostname, port, path } = urlToHttpOptions(new URL(url))
  return { protocol, hostname, port, path }
}

function failure(cause: Error): TypeError {
  return new TypeError('fetch failed', { cause })
}

function isBetween({ statusCode = 0 }: IncomingMessage, from: number, to: number): boolean {
  return statusCode >= from && statusCode <= to
}

function createResponse(response: IncomingMessage, signal: AbortSignal): HttpResponse {
  return {
    ok: isBetween(response, 200, 299),
    status: response.statusCode ?? 0,
    text: () => readText(response, signal),
    body: {
      getReader() {
        const pieces: AsyncIterator<Uint8Array, undefined> = response[Symbol.asyncIterator]()
        return { read: async () => (await pieces.next()) as HttpPiece }
      },
    },
  }
}

function readText(response: IncomingMessage, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    response.on('data', (piece: Buffer) => pieces.push(piece))
    // Node drops the rest of what is given up, and then ends it as if that had been all.
    const finish = () =>
      signal.aborted ? reject(failure(new Error('it was given up'))) : resolve(Buffer.concat(pieces).toString())
    response.on('end', finish)
    response.on('error', (error) => reject(failure(error)))
    // What was given up before it was read has no error to tell of.
    response.on('close', () => response.complete || reject(failure(new Error('the connection was closed'))))
  })
}
