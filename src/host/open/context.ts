import { dirname } from 'node:path'
import type { Context } from '../../core/context.ts'
import { randomBytes } from '../../kit/node/crypto.ts'
import { hostName, isAlive, machineName } from '../../kit/node/processes.ts'
import { lazy } from '../../kit/pure/lazy.ts'
import { createUlid } from '../../kit/pure/ulid.ts'
import { type Caller, LOCAL_CALLER } from '../../model/caller.ts'
import type { SessionGateRule } from '../../model/gate.ts'
import { DEFAULT_LIMITS, type Limits } from '../../model/limits.ts'
import { frameSize } from '../../render/fence.ts'
import { mayFit, measure } from '../../render/measure.ts'
import { spoolPath } from '../../spool/path.ts'
import type { OpenedStore as OpenedDatabase } from '../../store/sqlite/schema.ts'
import type { Sharing } from '../../store/sqlite/sharing.ts'
import type { Store } from '../../store/store.ts'
import type { Wire } from '../../wires/wire.ts'
import { createAnnouncer } from '../announce.ts'
import { ALLOW, allowsGate } from '../config/allow.ts'
import type { BusSettings } from '../config/bus.ts'
import { type Config, defaultConfig } from '../config/config.ts'
import { GATES } from '../config/gates.ts'
import type { HandoffSettings } from '../config/handoff.ts'
import { HOOKS } from '../config/hooks.ts'
import { createIdentities } from '../credentials/identities.ts'
import { lastHeardAt } from '../last-heard.ts'
import { createPart } from './part.ts'

export interface OpenOptions {
  readonly caller?: Caller
  readonly limits?: Partial<Limits>
  /** How long to wait for a lock that another process holds on the store. */
  readonly busyMs?: number
  /** The embedded store, if the program has already opened it. Ignored if its path is another than the configured one. */
  readonly opened?: OpenedDatabase | undefined
  /** True for a hook: a missing store is an error, and none is created. */
  readonly mustExist?: boolean
  /** Called after the file of a new embedded store was created. */
  readonly onCreated?: () => Promise<void>
  /** The clock of an embedded store, in milliseconds since the epoch; by default the machine's, without its steps. */
  readonly now?: () => number
  /** False for a short command, which runs its slice of upkeep itself. */
  readonly upkeep?: boolean
  /** True if the program may keep the store open for long, although it does no upkeep. */
  readonly isLasting?: boolean
  /** True for a server: many callers share the store. */
  readonly isShared?: boolean
  /** For a server: whether a process is above it. */
  readonly isAboveServer?: (pid: number) => boolean
  /** How a server shares an embedded store among its callers. Set together with `isShared`. */
  readonly sharing?: Sharing
  readonly note?: Context['note']
  /**
   * The folder of the key that encrypts secrets and makes MACs. `open` sets it to the home of the configuration. If it is absent, the
   * key is beside an embedded store, or else in Postern's home.
   */
  readonly home?: string
  /** Gates of every session; those of the configuration by default. */
  readonly sessionGates?: readonly SessionGateRule[]
  /** The folders of the buses; those of the configuration by default. */
  readonly bus?: BusSettings
  /** The folders of the handoff; those of the configuration by default. */
  readonly handoff?: Partial<HandoffSettings>
  /** The configuration; one in which nothing is set by default. */
  readonly config?: Config
  /** Health checks of this machine; none by default. */
  readonly inspect?: Context['inspect']
  /** Set by a server that runs upkeep. */
  readonly hasUpkeep?: Context['hasUpkeep']
  /** Announces an event; by default it runs the user's own commands for it. */
  readonly announce?: Context['announce']
}

/** A context, and a function that closes everything it has opened. */
export interface OpenedContext {
  readonly ctx: Context
  /** Closes the parts, then the wire, then the store. May be called twice. */
  close(): Promise<void>
}

/**
 * Refuses gates, permissions and hooks that cannot be used, whatever the caller is about to do. Call it before opening a store or an
 * engine, so that a refused configuration leaves nothing open.
 */
export function requireUsableRules(config: Config): void {
  config.get(GATES)
  config.get(ALLOW)
  config.get(HOOKS)
}

/** Gives the core what it needs from this machine. */
export function openContext(store: Store, wire: Wire, options: OpenOptions): OpenedContext {
  const ulid = createUlid({ now: store.now, randomBytes })
  const note = options.note ?? (() => {})
  const config = options.config ?? defaultConfig()
  const [sessionGates, userHooks] = [config.get(GATES), config.get(HOOKS)]
  const bus = createPart(
    async () => (await import('../bus/bus-registry.ts')).openBusRegistry(options, keyFolder(store, options)),
    (buses) => buses.close(),
  )
  const ledger = createPart(
    async () => (await import('../ledger/ledgers.ts')).openLedgers(store, options),
    (ledgers) => ledgers.ledger.close(),
  )
  const ctx: Context = {
    store,
    wire,
    caller: options.caller ?? LOCAL_CALLER,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    newId: (prefix) => `${prefix}_${ulid()}`,
    timers,
    measure,
    mayFit,
    frame: frameSize,
    machine: {
      name: machineName(),
      host: hostName(),
      isAlive,
      isAboveServer: options.isAboveServer ?? (() => false),
      heardAt: (agent) => lastHeardAt(store, agent),
    },
    secrets: lazy(async () => (await import('../credentials/secrets.ts')).createSecrets(keyFolder(store, options))),
    identities: createIdentities(),
    sessionGates: options.sessionGates ?? sessionGates,
    mayHold: (program, agent) => allowsGate(config.get(ALLOW), program, agent),
    foreshadow: foreshadowIn(options),
    spoolOf: spoolPath,
    recurrences: lazy(async () => (await import('../cron.ts')).createRecurrences()),
    handoff: lazy(async () => (await import('../handoff/handoffs.ts')).openHandoffs(options)),
    bus: bus.open,
    ledger: ledger.open,
    runCommand: async (command, options) => (await import('../../kit/node/run-in-turn.ts')).runInTurn(command, options),
    inspect: options.inspect,
    hasUpkeep: options.hasUpkeep,
    announce: options.announce ?? createAnnouncer(userHooks, note),
    note,
  }
  const close = lazy(async () => {
    await bus.close()
    await ledger.close()
    await wire.close()
    await store.close()
  })
  return { ctx, close }
}

/** Hooks find their gates in the home of the configuration. */
function foreshadowIn({ config, home }: OpenOptions): Context['foreshadow'] {
  if (!config || home === undefined) return undefined
  return async (params) => {
    const [{ foreshadow }, { placeOf }] = await Promise.all([import('../foreshadow.ts'), import('../shadow.ts')])
    foreshadow({ home, place: placeOf(config) }, params)
  }
}

function keyFolder(store: Store, { home }: OpenOptions): string | undefined {
  return home ?? (store.engine === 'sqlite' ? dirname(store.location) : undefined)
}

const timers: Context['timers'] = {
  after(ms, call) {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}
