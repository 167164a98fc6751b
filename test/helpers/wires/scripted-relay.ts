import { onTestFinished } from 'vitest'
import { monotonicMs } from '../../../src/kit/node/monotonic.ts'
import type { Outbox, RelayState } from '../../../src/loops/engine/outbox.ts'
import { type Relay, startRelay } from '../../../src/loops/engine/relay.ts'
import type { Message } from '../../../src/model/message.ts'
import type { Copy, EngineWire, OnRing, Wire } from '../../../src/wires/wire.ts'
import { createSignal, type Signal } from '../signal.ts'

/** Rows that several relays share, as servers share a store. A cursor is how many rows lie before it. */
export class SharedLog {
  readonly rows: (Copy | undefined)[] = []
  /** Rows before this one were removed. */
  floor = 0
  isHeldBack = false
  kept: { holder: string; heldUntilMs: number; cursor: string } | undefined
  /** What was written, in words. */
  readonly writes: string[] = []
  readonly reads = createSignal<string>()
  leaseMs = 10_000

  add(...copies: (Copy | undefined)[]): void {
    this.rows.push(...copies)
  }

  outboxOf(holder: string): Outbox {
    const stateOf = (): RelayState => {
      const { cursor, heldUntilMs, holder: by } = this.kept ?? { cursor: '0', heldUntilMs: 0, holder }
      return { cursor, heldForMs: by === holder ? 0 : Math.max(0, heldUntilMs - monotonicMs()) }
    }
    const keep = (cursor: string, heldUntilMs: number) => {
      if (this.kept?.holder !== holder) return false
      this.kept = { holder, cursor, heldUntilMs }
      return true
    }
    return {
      leaseMs: this.leaseMs,
      look: async () => stateOf(),
      lead: async () => {
        if (stateOf().heldForMs > 0) return stateOf()
        this.writes.push(`${holder} leads`)
        this.kept = { holder, heldUntilMs: monotonicMs() + this.leaseMs, cursor: stateOf().cursor }
        return stateOf()
      },
      next: async ({ cursor, limit }) => {
        const from = Math.max(Number(cursor), this.floor)
        const rows = this.rows.slice(from, from + limit)
        this.reads.fire(holder)
        return {
          copies: rows.filter((row) => row !== undefined),
          cursor: String(from + rows.length),
          isMore: rows.length === limit,
          hasGap: Number(cursor) < this.floor,
          isHeldBack: this.isHeldBack,
        }
      },
      keep: async (cursor) => {
        this.writes.push(`${holder} keeps ${cursor}`)
        return keep(cursor, monotonicMs() + this.leaseMs)
      },
      leave: async (cursor) => {
        this.writes.push(`${holder} leaves ${cursor}`)
        keep(cursor, 0)
      },
      oldest: async () => String(this.floor),
      countAfter: async (cursor) => this.rows.slice(Number(cursor)).filter((row) => row !== undefined).length,
    }
  }
}

/** An engine that does as it is told. */
export class ScriptedEngine implements EngineWire {
  readonly name = 'scripted'
  /** What it has taken, as `<content> to <agent>`. */
  readonly taken: Signal<string> = createSignal()
  readonly tries: Signal<number> = createSignal()
  isUp = true
  /** Called before it takes a copy. */
  before: (copy: Copy) => void | Promise<void> = () => {}
  readonly #listeners = new Set<OnRing>()
  readonly #wiped = new Set<() => void>()

  async carry(copies: readonly Copy[]): Promise<void> {
    this.tries.fire(copies.length)
    for (const copy of copies) {
      await this.before(copy)
      if (!this.isUp) throw new Error('the engine is away')
      this.taken.fire(`${copy.message.content} to ${copy.agent ?? 'all'}`)
    }
  }

  ring(): void {}

  async listen(_: readonly string[], onRing: OnRing) {
    this.#listeners.add(onRing)
    return { close: () => void this.#listeners.delete(onRing) }
  }

  comeBack(): void {
    this.isUp = true
    for (const onRing of this.#listeners) onRing(['@relay'])
  }

  onWiped(call: () => void): void {
    this.#wiped.add(call)
  }

  wipe(): void {
    for (const call of this.#wiped) call()
  }

  lastRungAt(): undefined {
    return undefined
  }

  async health() {
    return { isUp: this.isUp, detail: '' }
  }

  close(): void {}
}

/** A bell that one test rings. */
export class Bell implements Pick<Wire, 'listen'> {
  readonly #listeners = new Set<OnRing>()

  async listen(_: readonly string[], onRing: OnRing) {
    this.#listeners.add(onRing)
    return { close: () => void this.#listeners.delete(onRing) }
  }

  ring(): void {
    for (const onRing of this.#listeners) onRing(['@events'])
  }
}

export interface ScriptedRelay {
  readonly relay: Relay
  readonly engine: ScriptedEngine
  readonly bell: Bell
  readonly notes: Signal<string>
}

/** A relay over a shared log, with an engine and a bell of its own unless others are given. */
export function relayOver(
  log: SharedLog,
  {
    holder = 'one',
    engine = new ScriptedEngine(),
    bell = new Bell(),
    outbox = log.outboxOf(holder),
    now = monotonicMs,
  } = {},
): ScriptedRelay {
  const notes = createSignal<string>()
  const note = (event: string) => notes.fire(event)
  const relay = startRelay({ outbox, engine, bell, note, random: Math.random, now })
  onTestFinished(() => relay.close())
  return { relay, engine, bell, notes }
}

let count = 0

export function copyTo(agent: string | null, content: string): Copy {
  const id = `msg_${String(++count).padStart(26, '0')}`
  const message: Message = {
    ...{ id, type: 'agent', from: { id: 'sam', kind: 'human', verified: true, via: 'test' }, to: [agent ?? 'all'] },
    ...{ subject: null, content, payload: null, context: null, priority: 2, ref: null, replyTo: null, threadId: id },
    ...{ hops: 0, dedupKey: null, attachments: [], trace: null, createdAt: 1, expiresAt: null },
  }
  return { message, agent }
}
