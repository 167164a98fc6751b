import type { Streaming } from '../exchange.ts'
import { BEGINNING } from './frame.ts'
import { createOutlet, type Outlet } from './outlet.ts'

const ALIVE_AFTER_MS = 30_000

export const STREAM_TYPE = 'text/event-stream; charset=utf-8'

const HEADERS = {
  'content-type': STREAM_TYPE,
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const

export interface Begun {
  readonly outlet: Outlet
  /** Resolves when the connection has ended, whoever ended it. */
  readonly ended: Promise<void>
}

/** Begins to answer with a stream, which ends when the server stops. */
export function beginStream({ request, response, requestId, gone }: Streaming): Begun {
  const signal = gone()
  request.socket.setNoDelay(true)
  request.socket.setKeepAlive(true, ALIVE_AFTER_MS)
  response.writeHead(200, { 'x-request-id': requestId, ...HEADERS })
  const outlet = createOutlet(response)
  // Some go while what they have asked for is looked up.
  const ended = response.closed ? Promise.resolve() : new Promise<void>((resolve) => response.once('close', resolve))
  signal.addEventListener('abort', () => outlet.end())
  outlet.send(BEGINNING)
  return { outlet, ended }
}
