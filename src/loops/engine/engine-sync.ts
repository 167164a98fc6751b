import type { Context } from '../../core/context.ts'
import { within } from '../../kit/clock/within.ts'
import { monotonicMs } from '../../kit/node/monotonic.ts'
import { machineName } from '../../kit/node/processes.ts'
import { isRedisWire } from '../../wires/redis/is-redis-wire.ts'
import type { RedisWire } from '../../wires/redis/redis-wire.ts'
import type { EngineWire, WireHealth } from '../../wires/wire.ts'
import type { Loop } from '../loop.ts'
import { createOutbox } from './outbox.ts'
import { startRedisIntake } from './redis-intake.ts'
import { startRedisOutput } from './redis-output.ts'
import { startRelay } from './relay.ts'

/** The state of a server's engine. */
export interface WireStatus {
  readonly name: string
  readonly isUp: boolean
  readonly detail: string
  /** Whether this server is the one that carries now. */
  readonly isLeading: boolean
  /** How many copies the engine has taken from this server. */
  readonly carried: number
  /** How many events are still to be carried. The count stops at a bound. */
  readonly behind: number
}

/** Carries stored messages to an engine and, on Redis, exchanges lists with foreign producers and consumers. */
export interface EngineSync extends Loop {
  status(): Promise<WireStatus>
}

export interface EngineSyncOptions {
  readonly ctx: Context
  readonly wire: EngineWire
  /** Agents whose messages foreign consumers pop from lists in Redis. */
  readonly redisOut: readonly string[]
  /** The most entries that such a list may have. */
  readonly redisOutMax: number
}

export function startEngineSync(options: EngineSyncOptions): EngineSync {
  const { ctx, wire } = options
  const { store, note } = ctx
  const outbox = createOutbox({ store, name: wire.name, holder: ctx.newId(machineName()) })
  const relay = startRelay({ outbox, engine: wire, bell: ctx.wire, note, random: Math.random, now: monotonicMs })
  const loops = [relay, ...(isRedisWire(wire) ? startLists(options, wire) : [])]
  return {
    async status() {
      const [{ isUp, detail }, behind] = await Promise.all([health(wire), relay.countBehind()])
      return { name: wire.name, isUp, detail, isLeading: relay.isLeading, carried: relay.carried, behind }
    },
    wake() {
      for (const loop of loops) loop.wake()
    },
    async close() {
      await Promise.all(loops.map((loop) => loop.close()))
    },
  }
}

/** The lists of seed 001. The list of an agent is either taken in or filled, never both. */
function startLists({ ctx, redisOut, redisOutMax }: EngineSyncOptions, wire: RedisWire): readonly Loop[] {
  const intake = startRedisIntake({ ctx, wire, out: redisOut })
  if (redisOut.length === 0) return [intake]
  return [intake, startRedisOutput({ ctx, wire, agents: redisOut, max: redisOutMax })]
}

const ANSWER_MS = 1_000

/** Returns within a second, even if the engine does not answer. */
function health(wire: EngineWire): Promise<WireHealth> {
  return within(ANSWER_MS, wire.health(), { isUp: false, detail: 'it does not answer' })
}
