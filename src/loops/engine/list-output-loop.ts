import { monotonicMs } from '../../kit/node/monotonic.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import type { Note } from '../../wires/redis/connection.ts'
import {
  createListOutput,
  type ListOutput,
  type ListOutputState,
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
  /** Rings when something has come for an agent. */
  listen(agent: string, onRing: OnRing): Promise<Listener>
  /** What waits for an agent, oldest first. */
  pending(agent: string, limit: number): Promise<readonly PendingEvent[]>
  isPending(agent: string, id: string): Promise<boolean>
  /** Somebody has popped these. Whatever of them does not wait any more is left as it is. */
  popped(agent: string, ids: readonly string[]): Promise<void>
}

export interface PendingEvent {
  readonly id: string
  /** Seed 001's JSON of it. */
  format(): string
}

const LOOK_MS = 200
/** However quiet it is, the store is asked so often. */
const SETTLE_MS = 30_000
const PUT_AT_ONCE = 100
const RECORD_AT_ONCE = 200
/** So often a whole list is read where its ends do not tell what was popped; less often where others push to it as well. */
const READ_MS = 1_000
const CROWDED_READ_MS = 30_000

/** Keeps the lists of the agents filled with what waits for them, until it is closed. */
export function startListOutput(options: ListOutputOptions): Loop {
  const { wire, agents, note } = options
  const output = createListOutput(wire.use, options)
  const filled = agents.map((agent) => createFilled({ ...options, output }, agent))
  const failing = new Map<string, string>()

  /** What is wrong with one list is nothing to the others. It is said once, however long it lasts and whomever it concerns. */
  async function look(each: Filled): Promise<void> {
    try {
      await each.look()
      failing.delete(each.agent)
    } catch (error) {
      const said = reasonOf(error)
      if (![...failing.values()].includes(said)) note('redis.outletFailed', { agent: each.agent, error: said })
      failing.set(each.agent, said)
    }
  }

  const loop = startLoop({
    async run() {
      for (const each of filled) await look(each)
      return LOOK_MS
    },
    isBackground: true,
  })
  const listening = filled.map(async (each) => {
    const onRing = () => {
      each.isDirty = true
      loop.wake()
    }
    // If it cannot listen, the next round finds what has come.
    return options.listen(each.agent, onRing).catch(() => undefined)
  })

  async function end(): Promise<void> {
    await loop.close()
    for (const listener of await Promise.all(listening)) await listener?.close()
    for (const { agent } of filled) await output.leave(agent).catch(() => {})
  }

  let ending: Promise<void> | undefined
  return {
    wake() {
      for (const each of filled) each.isDirty = true
      loop.wake()
    },
    close() {
      ending ??= end()
      return ending
    },
  }
}

interface Filled {
  readonly agent: string
  isDirty: boolean
  look(): Promise<void>
}

/** The list of one agent. Where it looks as it was left, and nobody has rung, the store is not asked. */
function createFilled(options: ListOutputOptions & { readonly output: ListOutput }, agent: string): Filled {
  const { output, max } = options
  let held: number | undefined
  let settledAt = 0
  let readAt = Number.NEGATIVE_INFINITY
  let isCrowded = false

  async function settle(look: ListOutputState): Promise<void> {
    for (let at = 0; at < look.popped.length; at += RECORD_AT_ONCE) {
      const popped = look.popped.slice(at, at + RECORD_AT_ONCE)
      await options.popped(agent, popped)
      await output.forget(agent, popped)
    }
    const inList = await output.held(agent)
    const pending = await options.pending(agent, max)
    const waiting = new Set(pending.map(({ id }) => id))
    const over = await notPending([...inList].filter((id) => !waiting.has(id)))
    await output.withdraw(agent, over)
    const room = Math.max(0, look.room + over.length)
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

  const filled: Filled = {
    agent,
    isDirty: true,
    async look() {
      const isThorough = monotonicMs() - readAt >= (isCrowded ? CROWDED_READ_MS : READ_MS)
      const found = await output.look(agent, isThorough)
      if (found?.wasRead) readAt = monotonicMs()
      isCrowded = (found?.room ?? 0) < 0
      if (!found) {
        held = undefined
        return
      }
      const isQuiet = !filled.isDirty && found.held === held && found.popped.length === 0
      if (isQuiet && monotonicMs() - settledAt < SETTLE_MS) return
      filled.isDirty = false
      try {
        await settle(found)
        settledAt = monotonicMs()
      } catch (error) {
        filled.isDirty = true
        throw error
      }
    },
  }
  return filled
}
