import type { Context } from '../../core/context.ts'
import { createKeyedAnswers, type KeyedAnswers } from '../../core/keyed-answers.ts'
import { createPostern } from '../../core/postern.ts'
import { ownAncestors } from '../../kit/node/processes.ts'
import { lazy } from '../../kit/pure/lazy.ts'
import { startEngineSync, type WireStatus } from '../../loops/engine/engine-sync.ts'
import type { LedgerListener } from '../../loops/ledger/ledger-listener.ts'
import { startUpkeep } from '../../loops/upkeep.ts'
import type { Credentials } from '../../model/network/tokens.ts'
import type { Postern } from '../../model/postern.ts'
import { createSharing } from '../../store/sqlite/sharing.ts'
import { afterCopies, afterThisTurn, delayRings } from '../../wires/delayed-wire.ts'
import { createInProcessWire } from '../../wires/in-process-wire.ts'
import { createPairedWire } from '../../wires/paired-wire.ts'
import type { EngineWire, Wire } from '../../wires/wire.ts'
import type { Config } from '../config/config.ts'
import { createCredentials } from '../credentials/credentials.ts'
import { inspectFaults } from '../inspect-hooks.ts'
import { type OpenOptions, openContext, requireUsableRules } from '../open/context.ts'
import { openStore } from '../open/store.ts'
import { ringEventsLater } from '../wires/own-wire.ts'
import { openServedEngine } from '../wires/served-engine.ts'
import { createHooked, type Hooked } from './hooked.ts'

/** A Postern, and what a server needs beyond it. */
export interface Served extends KeyedAnswers {
  readonly postern: Postern
  readonly credentials: Credentials
  readonly hooked: Hooked
  /** How many deliveries are in each state. */
  counts(): Promise<Readonly<Record<string, number>>>
  /** Resolves where the store can be read. */
  check(): Promise<void>
  /** The engine that rings other machines, fit to be shown; null where there is none. */
  readonly wireUrl: string | null
  /** How that engine is doing; undefined where there is none. */
  wireStatus(): Promise<WireStatus | undefined>
  close(): Promise<void>
}

/** Opens the configured store for a server, which does the upkeep for everybody. */
export async function openServed(config: Config, options: OpenOptions = {}): Promise<Served> {
  requireUsableRules(config)
  const note = options.note ?? (() => {})
  const engine = await openServedEngine(config, note)
  const shared = { isShared: true, sharing: createSharing() }
  const { store, wire: own } = await openStore(config, { ...shared, ...options }).catch(async (error) => {
    await engine?.wire.close()
    throw error
  })
  // Who follows in this process is told at once.
  const outer = ringEventsLater(config, own)
  const wire = createInProcessWire(engine ? createPairedWire(outer, ringing(engine.wire), note) : outer)
  // Whoever asks from elsewhere may have hooks of their own that failed.
  const inspect = () => inspectFaults(config.home).map((check) => ({ ...check, name: `server.${check.name}` }))
  const hasUpkeep = options.upkeep !== false
  const about = { config, home: config.home, limits: config.limits, inspect, isShared: true, isAboveServer, hasUpkeep }
  const { ctx, close: closeContext } = openContext(store, wire, { ...about, ...options })
  const engineSync = engine && startEngineSync({ ctx, wire: engine.wire, ...engine.settings })
  const listening = await followLedger(config, ctx)
  const upkeep = hasUpkeep ? startUpkeep(ctx) : undefined
  const close = lazy(async () => {
    await upkeep?.close()
    await listening?.close()
    await engineSync?.close()
    await closeContext()
  })
  return {
    postern: createPostern(ctx, close),
    credentials: createCredentials(ctx),
    ...createKeyedAnswers(ctx, close),
    hooked: createHooked(ctx, config),
    counts: () => store.read.upkeep.counts(),
    async check() {
      await store.read.upkeep.ranAt()
    },
    wireUrl: engine?.url ?? null,
    wireStatus: async () => engineSync?.status(),
    close,
  }
}

/**
 * Undefined for the local ledger, which needs no listener. Only the network is read here: a server whose ledger settings
 * are wrong still serves everything else, and the listener logs what is wrong.
 */
async function followLedger({ written }: Config, ctx: Context): Promise<LedgerListener | undefined> {
  const network = written.find('ledger', 'network')?.value ?? 'local'
  if (network === 'local') return undefined
  const { startLedgerListener } = await import('../../loops/ledger/ledger-listener.ts')
  return startLedgerListener(ctx)
}

function isAboveServer(pid: number): boolean {
  return ownAncestors().some(({ pids }) => pids.includes(pid))
}

/** Where copies are kept they go first; elsewhere rings wait until whoever rang is answered. */
function ringing(engine: EngineWire): Wire {
  return delayRings(engine, engine.take ? afterCopies : afterThisTurn)
}
