import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  ProtocolErrorCode,
  type RequestId,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { isStaying } from '../kit/node/processes.ts'
import { listenedTo } from './resources/uri.ts'
import type { Outcome } from './tools/tool-call.ts'

/** Stdin and stdout as a transport that also tells what becomes of answers and what clients want to know. */
export interface Wire extends Transport {
  /** Resolves when the client has closed it, or cannot be reached any more. */
  readonly closed: Promise<void>
  /** Given at that moment. */
  readonly gone: AbortSignal
  /** Tells what becomes of the answer to a request. */
  onSettled(id: RequestId, tell: (outcome: Outcome) => void): void
  /** Hears which resources a client of the newer revision wants to be told of. */
  onListen(hear: (uris: readonly string[]) => void): void
  /** Hears what a host says of itself with a call. */
  onCall(hear: (meta: Readonly<Record<string, unknown>>) => void): void
  /** Whether the program that has started this one is still there, and not just being killed. */
  isParentThere(): boolean
}

export interface WireOptions {
  /** Refuses to open in the newer revision, so that a client which knows both takes the older handshake. */
  readonly isLegacyOnly: boolean
}

export function createWire({ isLegacyOnly }: WireOptions): Wire {
  const inner = new StdioServerTransport()
  const parent = process.ppid
  const gone = new AbortController()
  const waiting = new Map<RequestId, Tell>()
  const sent = new Map<RequestId, Tell>()
  const listeners: ((uris: readonly string[]) => void)[] = []
  /** What was wanted before there was a server to follow it: the first message of a connection makes one. */
  const early: string[] = []
  const callees: ((meta: Readonly<Record<string, unknown>>) => void)[] = []
  let resolveClosed = () => {}
  const closed = new Promise<void>((resolve) => {
    resolveClosed = resolve
  })

  const wire: Wire = {
    closed,
    gone: gone.signal,
    async start() {
      inner.onmessage = (message) => {
        if (isLegacyOnly && isDiscovery(message)) return void inner.send(unknownMethod(message)).catch(() => {})
        // By the protocol whoever cancels reads no answer, also where that had gone out.
        if (isCancelling(message)) sent.get(message.params.requestId)?.('lost')
        notice(message, listeners.length > 0 ? listeners : [(uris) => early.push(...uris)], callees)
        wire.onmessage?.(message)
      }
      inner.onerror = (error) => wire.onerror?.(error)
      inner.onclose = () => {
        for (const tell of waiting.values()) tell('unsent')
        waiting.clear()
        gone.abort()
        wire.onclose?.()
        resolveClosed()
      }
      await inner.start()
    },
    async send(message: JSONRPCMessage, _options?: TransportSendOptions) {
      const tell = answered(message, waiting)
      try {
        await inner.send(message)
      } catch (error) {
        tell?.('unsent')
        throw error
      }
      tell?.('sent')
      if (tell && 'id' in message && message.id !== undefined) remember(sent, message.id, tell)
    },
    close: () => inner.close(),
    onSettled: (id, tell) => waiting.set(id, tell),
    onListen(hear) {
      listeners.push(hear)
      hear(early.splice(0))
    },
    onCall: (hear) => callees.push(hear),
    isParentThere: () => process.ppid === parent && isStaying(parent),
  }
  return wire
}

type Tell = (outcome: Outcome) => void

/** So many answers may still be cancelled. */
const SENT_KEPT = 50

function remember(sent: Map<RequestId, Tell>, id: RequestId, tell: Tell): void {
  sent.delete(id)
  sent.set(id, tell)
  for (const oldest of sent.keys()) if (sent.size > SENT_KEPT) sent.delete(oldest)
}

interface Cancelling {
  readonly params: { readonly requestId: RequestId }
}

function isCancelling(message: JSONRPCMessage): message is JSONRPCMessage & Cancelling {
  return 'method' in message && message.method === 'notifications/cancelled' && message.params !== undefined
}

function isDiscovery(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message && message.method === 'server/discover'
}

function unknownMethod({ id }: JSONRPCRequest): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.MethodNotFound, message: 'Method not found' } }
}

/** Whoever waits to hear of this answer. */
function answered(message: JSONRPCMessage, waiting: Map<RequestId, Tell>) {
  if ('method' in message || message.id === undefined) return undefined
  const tell = waiting.get(message.id)
  waiting.delete(message.id)
  return tell
}

function notice(
  message: JSONRPCMessage,
  listeners: readonly ((uris: readonly string[]) => void)[],
  callees: readonly ((meta: Readonly<Record<string, unknown>>) => void)[],
): void {
  if (!('method' in message)) return
  const params = (message.params ?? {}) as Readonly<Record<string, unknown>>
  if (message.method === 'subscriptions/listen') {
    const uris = listenedTo(params)
    for (const hear of listeners) hear(uris)
  }
  if (message.method === 'tools/call') {
    for (const hear of callees) hear((params['_meta'] ?? {}) as Readonly<Record<string, unknown>>)
  }
}
