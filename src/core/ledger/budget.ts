import { PosternError } from '../../model/errors.ts'
import type { PublishMode } from '../../model/ledger/ledgers.ts'
import { formatDollars } from '../../model/ledger/price.ts'
import { findSecret } from '../../model/ledger/secret-scan.ts'
import type { Ledgers, LedgerTx } from '../context.ts'

const DAY_MS = 86_400_000

/** When the day began, in UTC. */
export function dayOf(now: number): number {
  return Math.floor(now / DAY_MS) * DAY_MS
}

/** Whether so much is left of the day. */
export async function isAffordable(ltx: LedgerTx, price: number): Promise<boolean> {
  try {
    await requireBudget(ltx, price)
    return true
  } catch (error) {
    if (error instanceof PosternError && error.code === 'LEDGER_BUDGET_SPENT') return false
    throw error
  }
}

/** Refuses what costs more than is left of the day. What others are about to spend is waited for, so that it counts. */
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

/** Refuses to tell the whole world what looks like a secret. What only this deployment keeps is not looked at. */
export function requireNoSecret({ ledger }: Ledgers, mode: PublishMode, text: string): void {
  if (!ledger.isPublic || mode === 'off') return
  const what = findSecret(text)
  if (what !== undefined) throw new PosternError('LEDGER_SECRET_FOUND', { what })
}
