import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Context, Ledgers } from '../../../src/core/context.ts'
import { listenOnce } from '../../../src/core/ledger/listen.ts'
import { publishDue } from '../../../src/core/ledger/publisher.ts'
import { createPostern } from '../../../src/core/postern.ts'
import { openContext } from '../../../src/host/open/context.ts'
import { createLedgerCodec } from '../../../src/ledger/codec/create-codec.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import { createLocalLedger } from '../../../src/ledger/local/local-ledger.ts'
import { type LedgerSettings, SEED_ROUTING } from '../../../src/model/ledger/settings.ts'
import type { Limits } from '../../../src/model/limits.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import type { Store } from '../../../src/store/store.ts'
import { createDoorbell } from '../../../src/wires/local/doorbell.ts'
import { fastFolder } from '../../helpers/temp.ts'

export interface Elsewhere {
  readonly postern: Postern
  readonly store: Store
  /** Publishes until nothing is due any more; how many parcels that were. */
  publish(): Promise<number>
  /** Takes in whatever stands on the topics that are known here. */
  listen(): Promise<void>
}

const NETWORK = 'elsewhere'
const MAX_ROUNDS = 50

/**
 * A Postern whose ledger is not a part of its store. What stands in for the network is the local ledger of another store,
 * which then takes no part in a transaction of this one. That of Hedera speaks its protocol and has tests of its own.
 */
export async function openElsewhere(
  store: Store,
  changes: Partial<LedgerSettings> = {},
  limits: Partial<Limits> = {},
): Promise<Elsewhere> {
  const ledgers: Ledgers = {
    ledger: await openNetwork(),
    codec: createLedgerCodec(),
    settings: {
      network: NETWORK,
      publish: { default: 'full', types: {}, agents: {} },
      budgetPerDay: null,
      routing: SEED_ROUTING,
      accept: 'ask',
      accounts: {},
      ...changes,
    },
  }
  const wire = createDoorbell({ folder: join(fastFolder(), 'bells') })
  onTestFinished(async () => wire.close())
  const ctx: Context = { ...openContext(store, wire, { limits }).ctx, ledger: async () => ledgers }
  return {
    store,
    postern: createPostern(ctx, async () => {}),
    publish: () => publishAll(ctx, ledgers),
    async listen() {
      for (const { id } of await store.read.ledger.listTopics({ network: NETWORK })) await listenTo(ctx, ledgers, id)
    },
  }
}

async function openNetwork(): Promise<Ledger> {
  const path = join(fastFolder(), 'network.db')
  const store = await openSqliteStore({ path, now: Date.now, random: Math.random })
  const ledger = createLocalLedger({ store })
  onTestFinished(async () => {
    await ledger.close()
    await store.close()
  })
  return { ...ledger, network: NETWORK, isPublic: true, within: undefined }
}

async function publishAll(ctx: Context, ledgers: Ledgers): Promise<number> {
  let total = 0
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { published, refused, putOff } = await publishDue(ctx, ledgers, { limit: 100 })
    total += published
    if (published + refused + putOff === 0) return total
  }
  throw new Error('there is always more to publish')
}

async function listenTo(ctx: Context, ledgers: Ledgers, topicId: string): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { state } = await listenOnce(ctx, ledgers, topicId)
    if (state === 'done') return
    if (state !== 'more') throw new Error(`the topic ${topicId} is ${state}`)
  }
}
