import { PosternError } from '../../model/errors.ts'
import { formatDollars } from '../../model/ledger/price.ts'
import type { LedgerTx } from '../context.ts'

const DAY_MS = 86_400_000

/** When the day began, in UTC. */
export function dayOf(now: number): number {
  return Math.floor(now / DAY_MS) * DAY_MS
}

/** Refuses a price that exceeds the rest of the day's budget. Waits for other transactions that spend, so they count. */
export async function requireBudget({ ctx, ledgers, tx }: LedgerTx, price: number): Promise<void> {
  const { budgetPerDay, network } = ledgers.settings
  if (price === 0 || budgetPerDay === null) return
  await tx.ledger.nextNumber()
  const spent = await tx.ledger.spentSince({ network, since: dayOf(ctx.store.now()) })
  if (spent + price <= budgetPerDay) return
  throw new PosternError('LEDGER_BUDGET_SPENT', {
    price: formatDollars(price),
    budget: formatDollars(budgetPerDay),
    spent: formatDollars(spent),
  })
}
