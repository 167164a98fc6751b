import type { Caller } from '../model/caller.ts'
import type { PosternEvent } from '../model/network/event.ts'
import { CALLER_PATH } from '../model/network/paths.ts'
import { requireReplyKey } from '../model/network/replies.ts'
import { bindNouns } from '../model/nouns.ts'
import { isRead, OPERATION_NAMES, OPERATIONS } from '../model/operations.ts'
import type { Postern } from '../model/postern.ts'
import type { TriggerAgent } from '../model/sources/services.ts'
import { type FollowEvents, followEvents } from './follow.ts'
import { type BusNews, type FollowBus, followBus } from './follow-bus.ts'
import { newKey, repetitionOf } from './repeats.ts'
import { toRequest } from './request.ts'
import { createTransport, type Transport, type TransportOptions } from './transport.ts'
import { toTrigger } from './trigger.ts'
import { type Call, createWaits } from './waits.ts'

export type { BusNews, FollowBus, FollowEvents }

export interface ConnectPostern extends TransportOptions {
  /** For whom to ask, where the token is an administrator's; by default whomever the token speaks for. */
  readonly caller?: Caller
}

/** A Postern behind a server. */
export interface ConnectedPostern extends Postern {
  as(caller: Caller): ConnectedPostern
  once(key: string): ConnectedPostern
  /**
   * What happens from now on, or after a cursor: each event once, in order, across broken connections too. An event of the
   * type `gap` says that something may have been missed.
   */
  followEvents(input?: FollowEvents): AsyncIterable<PosternEvent>
  /** What comes on a bus from now on, or after a cursor: each entry once, in order, across broken connections too. */
  followBus(input: FollowBus): AsyncIterable<BusNews>
}

/** Connects to a server: the same Postern, over HTTP. Fails where nobody is there, or where the token is not good. */
export async function connectPostern({ caller, ...options }: ConnectPostern): Promise<ConnectedPostern> {
  const transport = createTransport(options)
  try {
    const answer = await transport.send({ method: 'GET', path: CALLER_PATH }, { caller, isRepeatable: true })
    return createClient(transport, { caller: (answer as { readonly caller: Caller }).caller, bound: caller })
  } catch (error) {
    transport.close()
    throw error
  }
}

interface Speaking {
  readonly caller: Caller
  /** Goes with every request; without it the token alone says who asks. */
  readonly bound: Caller | undefined
  /** The key under which a change is made once. */
  readonly key?: string
}

function createClient(transport: Transport, speaking: Speaking): ConnectedPostern {
  const { caller, bound, key } = speaking
  const call: Call = (name, input, sending = {}) => {
    const request = name === 'services.trigger' ? toTrigger(input as unknown as TriggerAgent) : toRequest(name, input)
    const { needsKey, isRepeatable } = repetitionOf(name, request.method, input)
    const ownKey = key !== undefined && !isRead(OPERATIONS[name]) ? key : needsKey ? newKey() : undefined
    const headers = { ...(ownKey !== undefined && { 'Idempotency-Key': ownKey }), ...request.headers }
    return transport.send({ ...request, headers }, { ...sending, caller: bound, isRepeatable })
  }
  const rooms = createRooms(call)
  const waits = createWaits(call, transport.closed)
  return {
    ...rooms,
    inbox: { ...rooms.inbox, ...waits.inbox },
    decisions: { ...rooms.decisions, ...waits.decisions },
    events: { ...rooms.events, ...waits.events },
    bus: { ...rooms.bus, ...waits.bus },
    caller,
    as: (another) => createClient(transport, { ...speaking, caller: another, bound: another }),
    once: (one) => createClient(transport, { ...speaking, key: requireReplyKey(one) }),
    followEvents: (input = {}) => followEvents({ transport, call, caller: bound }, input),
    followBus: (input) => followBus({ transport, call, caller: bound }, input),
    close: async () => transport.close(),
  }
}

type Rooms = Omit<Postern, 'caller' | 'as' | 'once' | 'close'>

/** A method for every operation. A test proves that they are those of `Postern`. */
function createRooms(call: Call): Rooms {
  return bindNouns(
    OPERATION_NAMES,
    (name) =>
      async (input = {}) =>
        call(name, input),
  ) as unknown as Rooms
}
