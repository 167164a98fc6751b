import { dirname } from 'node:path'
import type { Context } from '../core/context.ts'
import { isAlive, machineName } from '../kit/node/processes.ts'
import { lazy } from '../kit/pure/lazy.ts'
import { createUlid } from '../kit/pure/ulid.ts'
import { type Caller, LOCAL_CALLER } from '../model/caller.ts'
import type { SessionGateRule } from '../model/gate.ts'
import { DEFAULT_LIMITS, type Limits } from '../model/limits.ts'
import { frameSize } from '../render/fence.ts'
import { measure } from '../render/measure.ts'
import { spoolPath } from '../spool/path.ts'
import type { OpenedStore } from '../store/sqlite/schema.ts'
import type { Sharing } from '../store/sqlite/sharing.ts'
import type { Store } from '../store/store.ts'
import type { Wire } from '../wires/wire.ts'
import type { BusSettings } from './bus/settings.ts'
import type { Config } from './config.ts'
import { createIdentities } from './credentials/identities.ts'
import type { HandoffSettings } from './handoff/settings.ts'
import { heardAt } from './live.ts'

export interface OpenOptions {
  readonly caller?: Caller
  readonly limits?: Partial<Limits>
  /** How long to wait for other processes that hold the store. */
  readonly busyMs?: number
  /** The embedded store, where somebody has opened it already. */
  readonly opened?: OpenedStore | undefined
  /** Milliseconds since the epoch; the machine's clock by default. */
  readonly now?: () => number
  /** False for a short command, which does its slice of upkeep itself. */
  readonly upkeep?: boolean
  /** True for a server, of which many ask at once. */
  readonly isShared?: boolean
  /** The same, for an embedded store. */
  readonly sharing?: Sharing
  readonly note?: Context['note']
  /** Where the key lies that secrets are sealed with; by default the folder of an embedded store, else the user's home. */
  readonly home?: string
  /** Gates of every session; none by default. */
  readonly sessionGates?: readonly SessionGateRule[]
  /** Where buses lie; by default as the configuration says, else where the seed has them. */
  readonly bus?: BusSettings
  /** Where items of the handoff lie; by default as the configuration says. */
  readonly handoff?: Partial<HandoffSettings>
  /** Settings that are read on use. */
  readonly config?: Pick<Config, 'bus' | 'handoff' | 'ledger' | 'origins' | 'home'>
  /** What this machine can say about its own health; nothing by default. */
  readonly inspect?: Context['inspect']
  /** Hands on what has happened; to nobody by default. */
  readonly announce?: Context['announce']
}

/** Gives the heart what it needs from this machine. */
export function createContext(store: Store, wire: Wire, options: OpenOptions): Context {
  const ulid = createUlid({ now: store.now, random: Math.random })
  return {
    store,
    wire,
    caller: options.caller ?? LOCAL_CALLER,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    newId: (prefix) => `${prefix}_${ulid()}`,
    timers,
    measure,
    frame: frameSize,
    machine: { name: machineName(), isAlive, heardAt: (agent) => heardAt(store, agent) },
    secrets: lazy(async () => (await import('./credentials/secrets.ts')).createSecrets(keyFolder(store, options))),
    identities: createIdentities(),
    sessionGates: options.sessionGates ?? [],
    spoolOf: spoolPath,
    recurrences: lazy(async () => (await import('./cron.ts')).createRecurrences()),
    handoff: lazy(async () => (await import('./handoff/handoffs.ts')).openHandoffs(options)),
    bus: lazy(async () => (await import('./bus/bus-registry.ts')).openBusRegistry(options)),
    ledger: lazy(async () => (await import('./ledger/ledgers.ts')).openLedgers(store, options)),
    // Few commands ever run another.
    runCommand: async (command, options) => (await import('../kit/node/run-in-turn.ts')).runInTurn(command, options),
    inspect: options.inspect,
    announce: options.announce ?? (async () => {}),
    note: options.note ?? (() => {}),
  }
}

function keyFolder(store: Store, { home }: OpenOptions): string | undefined {
  return home ?? (store.engine === 'sqlite' ? dirname(store.location) : undefined)
}

/** Ends what uses them, then closes the wire, then the store; safe to call twice. */
export function closer(store: Store, wire: Wire, before: () => void | Promise<void> = () => {}): () => Promise<void> {
  let closing: Promise<void> | undefined
  return () => {
    closing ??= Promise.resolve(before())
      .then(() => wire.close())
      .then(() => store.close())
    return closing
  }
}

const timers: Context['timers'] = {
  after(ms, call) {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
  inBackground(ms, call) {
    const timer = setTimeout(call, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
