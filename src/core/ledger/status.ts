import type { Ledger } from '../../ledger/ledger.ts'
import type { LedgerLabel, LedgerStatus } from '../../model/ledger/ledgers.ts'
import { toDollars } from '../../model/ledger/price.ts'
import type { Context } from '../context.ts'
import { dayOf } from './budget.ts'

export async function ledgerStatus(ctx: Context): Promise<LedgerStatus> {
  const { ledger, settings } = await ctx.ledger()
  const { network } = ledger
  const shelf = ctx.store.read.ledger
  return {
    ledger: labelOf(ledger),
    operator: ledger.operator,
    topics: (await shelf.listTopics({ network })).length,
    waiting: await shelf.countParcels({ state: 'waiting' }),
    refused: await shelf.countParcels({ state: 'refused' }),
    spentToday: toDollars(await shelf.spentSince({ network, since: dayOf(ctx.store.now()) })),
    budgetPerDay: settings.budgetPerDay === null ? null : toDollars(settings.budgetPerDay),
  }
}

/** Which ledger it is. Every answer that speaks of entries says so. */
export function labelOf({ kind, network, isPublic }: Ledger): LedgerLabel {
  return { kind, network, public_consensus: isPublic }
}
