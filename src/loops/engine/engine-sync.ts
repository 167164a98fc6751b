import type { Context } from '../../core/context.ts'
import { within } from '../../kit/clock/within.ts'
import { monotonicMs } from '../../kit/node/monotonic.ts'
import { machineName } from '../../kit/node/processes.ts'
import { isRedisWire } from '../../wires/redis/is-redis-wire.ts'
import type { RedisWire } from '../../wires/redis/redis-wire.ts'
import type { EngineWire, WireHealth } from '../../wires/wire.ts'
import { startRedisIntake } from './redis-intake.ts'
import { startRedisOutlet } from './redis-output.ts'
import { startRelay } from './relay.ts'
import { createOutbox } from './store-outbox.ts'

/** How the engine of a server is doing. */
export interface WireStatus {
  readonly name: string
  readonly isUp: boolean
  readonly detail: string
  /** Whether this server carries for all of them now. */
  readonly isLeading: boolean
  /** How many copies the engine has taken from this server. */
  readonly carried: number
  /** How many events have to be carried yet; of very many only the first are counted. */
  readonly behind: number
}

/** Carries what is stored to an engine, and takes over what others have put there. */
export interface Carrying {
  status(): Promise<WireStatus>
  /** Ends it before store and wires are closed. Safe to call twice. */
  close(): Promise<void>
}

export interface CarryingOptions {
  readonly ctx: Context
  readonly wire: EngineWire
  /** Agents whose messages foreign consumers pop from lists in Redis. */
  readonly redisOut: readonly string[]
  /** The most entries that such a list may have. */
  readonly redisOutMax: number
}

export function startCarrying(options: CarryingOptions): Carrying {
  const { ctx, wire } = options
  const { store, note } = ctx
  const outbox = createOutbox({ store, name: wire.name, holder: ctx.newId(machineName()) })
  const relay = startRelay({ outbox, engine: wire, bell: ctx.wire, note, random: Math.random, now: monotonicMs })
  const parts = isRedisWire(wire) ? startLists(options, wire) : []
  return {
    async status() {
      const [{ isUp, detail }, behind] = await Promise.all([health(wire), relay.countBehind()])
      return { name: wire.name, isUp, detail, isLeading: relay.isLeading, carried: relay.carried, behind }
    },
    async close() {
      await Promise.all([relay, ...parts].map((part) => part.close()))
    },
  }
}

interface Part {
  close(): void | Promise<void>
}

/** Seed 001's lists: of each agent they come in, or go out. */
function startLists({ ctx, redisOut, redisOutMax }: CarryingOptions, wire: RedisWire): readonly Part[] {
  const intake = startRedisIntake({ ctx, wire, out: redisOut })
  if (redisOut.length === 0) return [intake]
  return [intake, startRedisOutlet({ ctx, wire, agents: redisOut, max: redisOutMax })]
}

const ANSWER_MS = 1_000

/** Whoever asks how it is doing is answered in time, also while the engine is not. */
function health(wire: EngineWire): Promise<WireHealth> {
  return within(ANSWER_MS, wire.health(), { isUp: false, detail: 'it does not answer' })
}
