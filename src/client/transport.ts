import { sleep } from '../kit/clock/sleep.ts'
import { formatDuration } from '../kit/pure/duration.ts'
import type { Caller } from '../model/caller.ts'
import { PosternError } from '../model/errors.ts'
import { fromWire } from '../model/network/wire-json.ts'
import { connectionFault, problemOf, unreachable } from './problem.ts'
import type { WireRequest } from './request.ts'
import { linkSignals } from './signals.ts'
import { parseUrl } from './url.ts'

export interface TransportOptions {
  /** Where the server listens, such as `http://127.0.0.1:4747`. */
  readonly url: string
  /** Says who asks. */
  readonly token?: string
  /** The platform's by default. */
  readonly fetch?: Fetch
  /** How long an answer may take: 30 s by default. */
  readonly timeoutMs?: number
}

/** As much of `fetch` as is used here, so that something that costs less can stand in for it. */
export interface Fetch {
  (url: string, asked: FetchRequest): Promise<FetchResponse>
  /** Called once nothing more is asked. */
  close?(): void
}

export interface FetchRequest {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: string
  readonly signal: AbortSignal
  readonly redirect: 'error'
  readonly credentials: 'omit'
  readonly cache: 'no-store'
}

export interface FetchResponse {
  readonly ok: boolean
  readonly status: number
  text(): Promise<string>
  readonly body: { getReader(): FetchReader } | null
}

interface FetchReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
}

export interface Sending {
  /** For whom it is asked, where the token may speak for others. */
  readonly caller?: Caller | undefined
  readonly signal?: AbortSignal | undefined
  /** How long the server itself waits before it answers. */
  readonly waitMs?: number
  /** True where asking twice does no more than asking once. */
  readonly isRepeatable?: boolean
}

export interface Transport {
  /** Asks, and returns the answer as it is inside. Throws what the server refuses with. */
  send(request: WireRequest, sending: Sending): Promise<unknown>
  /** Asks for a stream, which lasts until the signal. */
  stream(request: WireRequest, sending: Sending & { readonly signal: AbortSignal }): Promise<FetchResponse>
  /** Ends what is under way; whatever is asked from then on fails. */
  close(): void
  /** Aborted when it was closed. */
  readonly closed: AbortSignal
}

const DEFAULT_TIMEOUT_MS = 30_000

/** An answer that was lost is asked for once more, a moment later. */
const REPEAT_AFTER_MS = 150

/** A repeated request whose first one is still being answered is repeated so often. */
const BUSY_ATTEMPTS = 100

export function createTransport({ timeoutMs = DEFAULT_TIMEOUT_MS, ...options }: TransportOptions): Transport {
  const line = createLine(options)
  const closing = new AbortController()

  /** One attempt, within its time. */
  async function attempt(request: WireRequest, sending: Sending): Promise<unknown> {
    const stopper = linkSignals([closing.signal, sending.signal])
    const limitMs = timeoutMs + (sending.waitMs ?? 0)
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      stopper.abort()
    }, limitMs)
    try {
      const response = await line.ask(request, sending.caller, stopper.signal)
      return line.parse(await response.text())
    } catch (error) {
      if (isLate) throw unreachable(line.url, `no answer came within ${formatDuration(limitMs)}`, error)
      throw fault(error, sending)
    } finally {
      clearTimeout(timer)
      stopper.unlink()
    }
  }

  /** What the caller has stopped is theirs to explain; the rest is said in our words. */
  function fault(error: unknown, { signal }: Sending): unknown {
    if (error instanceof PosternError || signal?.aborted) return error
    return unreachable(
      line.url,
      closing.signal.aborted ? 'the connection to it was closed' : connectionFault(error),
      error,
    )
  }

  return {
    closed: closing.signal,
    close() {
      closing.abort()
      options.fetch?.close?.()
    },

    async send(request, sending) {
      for (let attempts = 1; ; attempts++) {
        try {
          return await attempt(request, sending)
        } catch (error) {
          if (!mayRepeat(error, attempts, sending) || closing.signal.aborted || sending.signal?.aborted) throw error
          await sleep(REPEAT_AFTER_MS, { signal: closing.signal })
        }
      }
    },

    async stream(request, sending) {
      try {
        return await line.ask(request, sending.caller, sending.signal)
      } catch (error) {
        throw fault(error, sending)
      }
    },
  }
}

/** `fetch` fails with a TypeError where the connection does; nobody knows then whether the request was done. */
function mayRepeat(error: unknown, attempts: number, { isRepeatable = false }: Sending): boolean {
  if (!isRepeatable || !(error instanceof PosternError)) return false
  if (error.code === 'IDEMPOTENCY_BUSY') return attempts < BUSY_ATTEMPTS
  return attempts === 1 && error.code === 'SERVER_UNAVAILABLE' && error.cause instanceof TypeError
}

interface Line {
  readonly url: string
  ask(request: WireRequest, caller: Caller | undefined, signal: AbortSignal): Promise<FetchResponse>
  parse(body: string): unknown
}

/** What no token looks like is not sent: where a header cannot hold it, the platform would show it in its error. */
const TOKEN = /^[!-~]{1,1000}$/

function createLine({ token, ...options }: Omit<TransportOptions, 'timeoutMs'>): Line {
  const url = parseUrl(options.url)
  if (token !== undefined && !TOKEN.test(token)) throw new PosternError('NOT_AUTHENTICATED')
  const exchange: Fetch = options.fetch ?? globalThis.fetch.bind(globalThis)
  return {
    url,
    async ask({ method, path, body, headers }, caller, signal) {
      const response = await exchange(`${url}${path}`, {
        method,
        headers: {
          Accept: 'application/json',
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
          ...(caller && { 'Postern-As': headerOf(caller) }),
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body }),
        signal,
        // A token is for the one server that it was given for.
        redirect: 'error',
        credentials: 'omit',
        cache: 'no-store',
      })
      if (!response.ok) throw problemOf(url, response.status, await response.text())
      return response
    },
    parse(body) {
      if (body === '') return undefined
      try {
        return fromWire(JSON.parse(body))
      } catch {
        throw unreachable(url, 'what answers there is not a Postern server')
      }
    },
  }
}

/** Headers hold ASCII only. */
function headerOf({ id, kind, verified, via }: Caller): string {
  const text = JSON.stringify({ id, kind, verified, via })
  return text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
