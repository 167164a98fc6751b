import { monotonicMs } from '../../kit/node/monotonic.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import type { Note } from '../../wires/redis/connection.ts'
import {
  createListOutput,
  type ListOutput,
  type ListOutputState,
  type ListReading,
  type OutputEvent,
  type OutputOptions,
} from '../../wires/redis/list-output.ts'
import type { RedisWire } from '../../wires/redis/redis-wire.ts'
import type { Listener, OnRing } from '../../wires/wire.ts'
import { type Loop, startLoop } from '../loop.ts'

export interface ListOutputOptions extends OutputOptions {
  readonly wire: Pick<RedisWire, 'use'>
  /** Agents whose lists foreign consumers read. */
  readonly agents: readonly string[]
  readonly note: Note
  /** Rings when a message for an agent arrives. */
  listen(agent: string, onRing: OnRing): Promise<Listener>
  /** The pending messages of an agent, oldest first. */
  pending(agent: string, limit: number): Promise<readonly PendingEvent[]>
  isPending(agent: string, id: string): Promise<boolean>
  /** Records that a consumer popped these messages. Those that are no longer pending are left as they are. */
  popped(agent: string, ids: readonly string[]): Promise<void>
}

export interface PendingEvent {
  readonly id: string
  /** The entry's JSON, in the format of seed 001. */
  format(): string
}

const POLL_MS = 200
/** The list is compared with the store at least this often. */
const SYNC_MS = 30_000
const PUT_AT_ONCE = 100
const RECORD_AT_ONCE = 200
/** How often a whole list may be read if its ends do not show what was popped; less often if others push to it as well. */
const READ_MS = 1_000
const CROWDED_READ_MS = 30_000
/** How often it is read in any case: what others do in the middle of it shows at neither end. */
const WHOLE_READ_MS = 30_000

/** Keeps the lists filled with the agents' pending messages, until it is closed. */
export function startListOutput(options: ListOutputOptions): Loop {
  const { wire, agents, note } = options
  const output = createListOutput(wire.use, options)
  const lists = agents.map((agent) => createAgentList({ ...options, output }, agent))
  const failing = new Map<string, string>()

  /** Polls one list. A failure does not affect the other lists, and the same failure is noted once for all of them. */
  async function poll(list: AgentList): Promise<void> {
    try {
      await list.poll()
      failing.delete(list.agent)
    } catch (error) {
      const reason = reasonOf(error)
      if (![...failing.values()].includes(reason)) note('redis.outletFailed', { agent: list.agent, error: reason })
      failing.set(list.agent, reason)
    }
  }

  const loop = startLoop({
    async run() {
      for (const list of lists) await poll(list)
      return POLL_MS
    },
    isBackground: true,
  })
  const listening = lists.map(async (list) => {
    const onRing = () => {
      list.isDirty = true
      loop.wake()
    }
    // If it cannot listen, the next sync finds new messages.
    return options.listen(list.agent, onRing).catch(() => undefined)
  })

  async function end(): Promise<void> {
    await loop.close()
    for (const listener of await Promise.all(listening)) await listener?.close()
    for (const { agent } of lists) await output.leave(agent).catch(() => {})
  }

  let ending: Promise<void> | undefined
  return {
    wake() {
      for (const list of lists) list.isDirty = true
      loop.wake()
    },
    close() {
      ending ??= end()
      return ending
    },
  }
}

interface AgentList {
  readonly agent: string
  /** True if the store may have changed since the last sync. */
  isDirty: boolean
  poll(): Promise<void>
}

/** The list of one agent. While it is unchanged and nobody rings, the store is not asked. */
function createAgentList(options: ListOutputOptions & { readonly output: ListOutput }, agent: string): AgentList {
  const { output, max } = options
  let held: number | undefined
  let syncedAt = 0
  let readAt = Number.NEGATIVE_INFINITY
  let isCrowded = false

  /** Records what was popped, removes what is no longer pending, and adds what is missing. */
  async function sync(state: ListOutputState): Promise<void> {
    for (let at = 0; at < state.popped.length; at += RECORD_AT_ONCE) {
      const popped = state.popped.slice(at, at + RECORD_AT_ONCE)
      await options.popped(agent, popped)
      await output.forget(agent, popped)
    }
    const inList = await output.held(agent)
    const pending = await options.pending(agent, max)
    const waiting = new Set(pending.map(({ id }) => id))
    const over = await notPending([...inList].filter((id) => !waiting.has(id)))
    await output.withdraw(agent, over)
    const room = Math.max(0, state.room + over.length)
    const missing = pending.filter(({ id }) => !inList.has(id)).slice(0, room)
    await putAll(missing)
    held = (await output.held(agent)).size
  }

  async function notPending(ids: readonly string[]): Promise<readonly string[]> {
    const over: string[] = []
    for (const id of ids) if (!(await options.isPending(agent, id))) over.push(id)
    return over
  }

  async function putAll(events: readonly PendingEvent[]): Promise<void> {
    for (let at = 0; at < events.length; at += PUT_AT_ONCE) {
      const slice = events.slice(at, at + PUT_AT_ONCE)
      const put = await output.put(
        agent,
        slice.map((event): OutputEvent => ({ id: event.id, text: event.format() })),
      )
      if (put < slice.length) return
    }
  }

  function readingAfter(unreadMs: number): ListReading {
    if (unreadMs >= WHOLE_READ_MS) return 'whole'
    return unreadMs >= (isCrowded ? CROWDED_READ_MS : READ_MS) ? 'if-needed' : 'ends'
  }

  const list: AgentList = {
    agent,
    isDirty: true,
    async poll() {
      const found = await output.look(agent, readingAfter(monotonicMs() - readAt))
      if (found?.wasRead) readAt = monotonicMs()
      isCrowded = (found?.room ?? 0) < 0
      if (!found) {
        held = undefined
        return
      }
      const isUnchanged = !list.isDirty && found.held === held && found.popped.length === 0
      if (isUnchanged && monotonicMs() - syncedAt < SYNC_MS) return
      list.isDirty = false
      try {
        await sync(found)
        syncedAt = monotonicMs()
      } catch (error) {
        list.isDirty = true
        throw error
      }
    },
  }
  return list
}
