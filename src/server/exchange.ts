import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Identity } from '../model/network/tokens.ts'
import type { Postern } from '../model/postern.ts'
import type { Metrics } from './metrics.ts'

/** One request and the response to it. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Stands in the answer and in the log. */
  readonly requestId: string
  /** GET also for what is only asked for its headers. */
  readonly method: string
  /** The host that the target itself names, as `GET http://host/path` does. */
  readonly authority: string | undefined
  /** As it came, without host and query. */
  readonly path: string
  readonly query: URLSearchParams
  /** It came over the UNIX socket, which only the owner can open. */
  readonly isLocal: boolean
  /** Given when the client has gone, or when the server stops. */
  readonly gone: () => AbortSignal
  /** The server takes no more requests, and ends what waits. */
  readonly isStopping: () => boolean
}

/** An exchange with somebody who has said who they are. */
export interface Asking extends Exchange {
  readonly identity: Identity
  /** Bound to whoever asks. */
  readonly postern: Postern
}

/** What somebody asks of a stream of events; whoever opens it answers the exchange from then on. */
export interface Streaming extends Asking {
  readonly metrics: Metrics
}

/** A whole answer. */
export interface Reply {
  readonly status: number
  readonly body?: string | Uint8Array
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Is told once whether the whole answer has gone out. */
  readonly onSettled?: (wasSent: boolean) => void
}

export const JSON_TYPE = 'application/json; charset=utf-8'

export function jsonReply(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, body: JSON.stringify(value), type: JSON_TYPE, headers }
}
