import type { Context, Ledgers } from '../../../src/core/context.ts'
import { listenOnce, topicsToFollow } from '../../../src/core/ledger/listen.ts'
import { publishDue } from '../../../src/core/ledger/publisher.ts'
import { createPostern } from '../../../src/core/postern.ts'
import { type OpenOptions, openContext } from '../../../src/host/open/context.ts'
import { createLedgerCodec } from '../../../src/ledger/codec/create-codec.ts'
import type { LedgerCodec } from '../../../src/ledger/codec.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import type { LedgerIdentity } from '../../../src/model/ledger/identity.ts'
import { type LedgerSettings, SEED_ROUTING } from '../../../src/model/ledger/settings.ts'
import type { Postern } from '../../../src/model/postern.ts'
import type { Store } from '../../../src/store/store.ts'
import type { Wire } from '../../../src/wires/wire.ts'

/** Postern on a store, with a ledger that a test hands it. Nothing runs by itself: the test publishes and listens. */
export interface Deployment {
  readonly ctx: Context
  readonly ledgers: Ledgers
  readonly postern: Postern
  /** What was noted, as `event {fields}`. */
  readonly notes: readonly string[]
  /** Publishes what is due, until nothing is. */
  publish(): Promise<number>
  /** Looks at every topic that is followed, until nothing more comes. Returns how many entries came. */
  listen(): Promise<number>
  /** Both, until nothing happens any more. */
  settle(): Promise<void>
  identity(agent: string): Promise<LedgerIdentity>
}

export interface DeploymentOptions extends Pick<OpenOptions, 'limits'> {
  readonly settings?: Partial<LedgerSettings>
  readonly codec?: LedgerCodec
}

const SETTINGS: LedgerSettings = {
  network: 'testnet',
  publish: { default: 'full', types: {}, agents: {} },
  budgetPerDay: null,
  routing: SEED_ROUTING,
  accept: 'ask',
  accounts: {},
}

/** A wire that nobody listens to. */
const SILENT: Wire = {
  ring: () => undefined,
  listen: async () => ({ close: async () => {} }),
  lastRungAt: () => undefined,
  health: async () => ({ isUp: true, detail: '' }),
  close: async () => {},
}

export function createDeployment(store: Store, ledger: Ledger, options: DeploymentOptions = {}): Deployment {
  const notes: string[] = []
  const note: Context['note'] = (event, fields) => void notes.push(`${event} ${JSON.stringify(fields)}`)
  const { limits = {} } = options
  const settings = { ...SETTINGS, network: ledger.network, ...options.settings }
  const ledgers: Ledgers = { ledger, codec: options.codec ?? createLedgerCodec(), settings }
  const ctx: Context = { ...openContext(store, SILENT, { note, limits }).ctx, ledger: async () => ledgers }
  const postern = createPostern(ctx, async () => {})

  async function publish(): Promise<number> {
    let all = 0
    for (;;) {
      const { published } = await publishDue(ctx, ledgers, { limit: 100 })
      all += published
      if (published === 0) return all
    }
  }

  async function listen(): Promise<number> {
    let all = 0
    for (const id of await topicsToFollow(ctx, ledger.network)) {
      for (;;) {
        const { entries, state } = await listenOnce(ctx, ledgers, id)
        all += entries
        if (state !== 'more') break
      }
    }
    return all
  }

  return {
    ctx,
    ledgers,
    postern,
    notes,
    publish,
    listen,
    async settle() {
      for (;;) if ((await publish()) + (await listen()) === 0) return
    },
    async identity(agent) {
      const found = await store.read.ledger.identityOf({ network: ledger.network, agent })
      if (!found) throw new Error(`${agent} has no topics`)
      return found
    },
  }
}
