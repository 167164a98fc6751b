import type { Context, Ledgers } from '../../core/context.ts'
import { publishDue } from '../../core/ledger/publisher.ts'
import { within } from '../../kit/clock/within.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import type { Config } from '../config/config.ts'
import { openContext, requireUsableRules } from '../open/context.ts'
import { openStore } from '../open/store.ts'

const PARCELS = 100

export interface PublishBriefly {
  readonly config: Config
  readonly forMs: number
}

/**
 * Publishes what is due, for a while: a command that no server helps has then not spoken in vain. Returns how many
 * parcels wait after that. Whenever it is cut short, what is written down is enough to go on from.
 */
export async function publishBriefly({ config, forMs }: PublishBriefly): Promise<number> {
  requireUsableRules(config)
  const { store, wire } = await openStore(config, {})
  const { ctx, close } = openContext(store, wire, { config, home: config.home, limits: config.limits })
  try {
    const ledgers = await ctx.ledger()
    const work = publishAll(ctx, ledgers)
    await within(forMs, work, undefined)
    await ledgers.ledger.close()
    await work
    return await store.read.ledger.countParcels({ state: 'waiting' })
  } finally {
    await close()
  }
}

/** Until nothing more can be done now. What follows from a parcel may be another, such as a profile from its topics. */
async function publishAll(ctx: Context, ledgers: Ledgers): Promise<void> {
  try {
    while ((await publishDue(ctx, ledgers, { limit: PARCELS })).published > 0);
  } catch (error) {
    ctx.note('ledger.failed', { task: 'publish', error: reasonOf(error) })
  }
}
