import {
  createMcpHandler,
  type McpHttpHandler,
  type ServerContext,
  type ServerEvent,
} from '@modelcontextprotocol/server'
import { randomToken } from '../kit/node/crypto.ts'
import type { Caller } from '../model/caller.ts'
import { PosternError } from '../model/errors.ts'
import type { Postern } from '../model/postern.ts'
import type { Tool } from '../operations/tools/tool.ts'
import { type Connection, ownScope, requireAgentOf } from './connection.ts'
import { createMcpServer } from './mcp-server.ts'
import { createChanges } from './resources/changes.ts'
import { listenedTo } from './resources/uri.ts'
import { createShown, type Shown } from './shown.ts'
import { findTools } from './tool-sets.ts'
import type { Outcome } from './tools/tool-call.ts'

/** MCP for whoever has shown a token: every request by itself, as the protocol has it. */
export interface McpDoor {
  answer(asked: McpRequest): Promise<Response>
  /** Ends the streams that are open. */
  close(): Promise<void>
}

export interface McpRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The set of tools that is asked for: `/mcp?tools=seeds`. */
  readonly tools: string
  /** Whom the token speaks for. */
  readonly caller: Caller
  readonly tokenId: string
  /** Given when the client has gone. */
  readonly signal: AbortSignal
  /** Hears what becomes of the answer. */
  onSettled(tell: (outcome: Outcome) => void): void
}

export interface McpDoorOptions {
  readonly postern: Postern
  readonly note: (error: Error) => void
}

const NONCE_CHARACTERS = 12

/** So many are remembered; whoever was heard of least is forgotten, and what it was shown last may be shown again. */
const MAX_PEERS = 1_000
const MAX_STREAMS_OF_PEER = 8
const MAX_URIS_OF_PEER = 200
const MAX_CALLS_OF_PEER = 100

/** One caller with one token: what it was shown, and the streams on which it is told of changes. */
interface Peer {
  readonly handler: McpHttpHandler
  readonly shown: Shown
  /** A client has begun, and has called for nothing yet. */
  hasBegun: boolean
  /** Calls that may be cancelled, by the id that their client gave them. */
  readonly calls: Map<unknown, AbortController>
  /** Notes which resources its next stream is about. */
  readonly want: (uris: readonly string[]) => void
}

export function createMcpDoor({ postern, note }: McpDoorOptions): McpDoor {
  const peers = new Map<string, Peer>()

  function peerOf({ caller, tokenId, tools: set }: McpRequest): Peer {
    const tools = findTools(set)
    if (!tools)
      throw new PosternError('VALUE_INVALID', { field: 'set of tools', value: set, next: 'Use core or seeds.' })
    const key = `${tokenId} ${caller.kind}:${caller.id} ${set}`
    const known = peers.get(key)
    const peer = known ?? createPeer(postern.as({ ...caller, via: 'mcp' }), tools, note)
    // The one that was heard of last stands last.
    peers.delete(key)
    peers.set(key, peer)
    const [oldest] = peers
    if (peers.size > MAX_PEERS && oldest) forget(...oldest)
    return peer
  }

  function forget(key: string, peer: Peer): void {
    peers.delete(key)
    void peer.handler.close().catch(note)
  }

  return {
    async answer(asked) {
      const peer = peerOf(asked)
      const { handler, calls, want } = peer
      const { id, method: called, params } = readCall(asked.body)
      if (called === 'subscriptions/listen') want(listenedTo(params))
      if (BEGINNINGS.includes(called)) peer.hasBegun = true
      if (called === 'tools/call') await settleBeginning(peer, params['name'])
      if (called === 'notifications/cancelled') calls.get(params['requestId'])?.abort()
      const cancelled = called === 'tools/call' ? noteCall(calls, id) : undefined
      const { method, headers, body, signal, onSettled } = asked
      const request = new Request('http://127.0.0.1/mcp', {
        method,
        headers,
        signal,
        ...(method === 'POST' && { body }),
      })
      return handler.fetch(request, {
        authInfo: { token: '', clientId: '', scopes: [], extra: { onSettled, cancelled } },
      })
    },
    async close() {
      for (const [key, peer] of [...peers]) forget(key, peer)
    },
  }
}

function createPeer(postern: Postern, tools: readonly Tool[], note: McpDoorOptions['note']): Peer {
  const agent = requireAgentOf(postern.caller)
  const connection: Connection = {
    postern,
    identity: { caller: postern.caller, scope: ownScope(postern.caller) },
    agent,
    tools,
    places: {},
    person: undefined,
    put: new Set(),
    shown: createShown(postern.inbox),
    sessionId: async () => undefined,
    gather: async () => {},
    nonce: () => randomToken(NONCE_CHARACTERS),
  }
  const listeners = new Set<(event: ServerEvent) => void>()
  const asked = new Set<string>()
  const changes = createChanges(connection, (uri) => {
    for (const listener of listeners) listener({ kind: 'resource_updated', uri })
  })
  const handler = createMcpHandler(({ era }) => createMcpServer({ connection, era, onSettled, cancelled }), {
    bus: {
      publish() {},
      subscribe(listener) {
        listeners.add(listener)
        // The last stream may have ended, and with it what was followed, since somebody asked for this one.
        for (const uri of [...asked].reverse()) changes.want(uri)
        return () => {
          listeners.delete(listener)
          if (listeners.size === 0) changes.close()
        }
      },
    },
    maxSubscriptions: MAX_STREAMS_OF_PEER,
    onerror: note,
  })
  const want = (uris: readonly string[]) => {
    for (const uri of uris) {
      asked.delete(uri)
      asked.add(uri)
    }
    for (const oldest of asked) if (asked.size > MAX_URIS_OF_PEER) asked.delete(oldest)
  }
  return { handler, shown: connection.shown, hasBegun: false, calls: new Map(), want }
}

/** What carries the request carries also whoever waits to hear of its answer, and who may cancel it. */
interface Carried extends Pick<McpRequest, 'onSettled'> {
  readonly cancelled: AbortSignal | undefined
}

function carriedBy({ http }: ServerContext): Carried | undefined {
  return http?.authInfo?.extra as Carried | undefined
}

function onSettled(ctx: ServerContext, tell: (outcome: Outcome) => void): void {
  carriedBy(ctx)?.onSettled(tell)
}

function cancelled(ctx: ServerContext): AbortSignal | undefined {
  return carriedBy(ctx)?.cancelled
}

/**
 * Older clients cancel by a request of its own. Two clients with one token may give their calls the same id: then one ends
 * the other's wait early, and that asks again.
 */
function noteCall(calls: Peer['calls'], id: unknown): AbortSignal {
  const controller = new AbortController()
  calls.delete(id)
  calls.set(id, controller)
  const [oldest] = calls.keys()
  if (calls.size > MAX_CALLS_OF_PEER) calls.delete(oldest)
  return controller.signal
}

/**
 * Nobody tells when a client has gone. One that begins has not read what an earlier one was shown last, unless it is the
 * same one again, which some are for every call, and acknowledges it.
 */
async function settleBeginning(peer: Peer, tool: unknown): Promise<void> {
  if (!peer.hasBegun) return
  peer.hasBegun = false
  if (tool !== 'inbox_ack') await peer.shown.release('a client has begun anew')
}

/** By which a client of either revision begins. */
const BEGINNINGS: readonly string[] = ['server/discover', 'initialize']

interface ReadCall {
  readonly id: unknown
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** What is asked for, where that can be told; whoever answers the request says what is wrong with it. */
function readCall(body: string): ReadCall {
  try {
    const { id, method, params } = JSON.parse(body)
    return { id, method: typeof method === 'string' ? method : '', params: params ?? {} }
  } catch {
    return { id: undefined, method: '', params: {} }
  }
}
