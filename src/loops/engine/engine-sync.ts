import type { Context } from '../../core/context.ts'
import type { Config } from '../../host/config/config.ts'
import { findWireUrl, readWireSettings, type WireSettings } from '../../host/config/wire.ts'
import { isRedis, openEngineWire } from '../../host/wires/open-wire.ts'
import { monotonicMs } from '../../kit/node/monotonic.ts'
import { machineName } from '../../kit/node/processes.ts'
import { within } from '../../kit/node/within.ts'
import { hidePassword } from '../../kit/pure/passwords.ts'
import type { RedisWire } from '../../wires/redis/redis-wire.ts'
import type { EngineWire, WireHealth } from '../../wires/wire.ts'
import { startRedisIntake } from './redis-intake.ts'
import { startRedisOutlet } from './redis-output.ts'
import { startRelay } from './relay.ts'
import { createOutbox } from './store-outbox.ts'

/** The engine that a server rings other machines through. */
export interface ServedEngine {
  readonly wire: EngineWire
  readonly settings: WireSettings
  /** Fit to be shown. */
  readonly url: string
}

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

/** The engine that a configuration names; it need not be there yet. Fails where it never could be used. */
export async function openServedEngine(config: Config, note: Context['note']): Promise<ServedEngine | undefined> {
  const settings = readWireSettings(config)
  const url = findWireUrl(config)
  if (url === null) return undefined
  const wire = await openEngineWire(url, { note })
  try {
    if (isRedis(wire)) await wire.check()
  } catch (error) {
    await wire.close()
    throw error
  }
  return { wire, settings, url: hidePassword(url) }
}

export interface CarryingOptions {
  readonly engine: ServedEngine
  readonly ctx: Context
}

export function startCarrying({ engine: { wire, settings }, ctx }: CarryingOptions): Carrying {
  const { store, note } = ctx
  const outbox = createOutbox({ store, name: wire.name, holder: ctx.newId(machineName()) })
  const relay = startRelay({ outbox, engine: wire, bell: ctx.wire, note, random: Math.random, now: monotonicMs })
  const parts = isRedis(wire) ? startLists(ctx, wire, settings) : []
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
function startLists(ctx: Context, wire: RedisWire, { redisOut, redisOutMax }: WireSettings): readonly Part[] {
  const intake = startRedisIntake({ ctx, wire, out: redisOut })
  if (redisOut.length === 0) return [intake]
  return [intake, startRedisOutlet({ ctx, wire, agents: redisOut, max: redisOutMax })]
}

const ANSWER_MS = 1_000

/** Whoever asks how it is doing is answered in time, also while the engine is not. */
function health(wire: EngineWire): Promise<WireHealth> {
  return within(ANSWER_MS, wire.health(), { isUp: false, detail: 'it does not answer' })
}
