import { PosternError } from '../../model/errors.ts'
import type { LedgerParcel } from '../../model/ledger/parcel.ts'
import type { Message } from '../../model/message.ts'
import type { Context, Ledgers } from '../context.ts'
import { ring } from '../rings.ts'
import { storeItems } from './intake/store-items.ts'
import { keyed } from './messages/own-key.ts'

/** From then on nobody waits for the ledger any longer. */
const LATE_MS = 60_000
const SLICE = 200

/**
 * Puts messages into their inboxes whose entries have not come back in time, under the keys under which the entries will
 * find them there. Each is looked at once, however many were published before it; where that fails, again after as long.
 */
export async function pushLate(ctx: Context, { ledger: { network } }: Ledgers): Promise<void> {
  const now = ctx.store.now()
  const late = await ctx.store.read.ledger.lateParcels({ network, before: now - LATE_MS, limit: SLICE })
  if (late.length === 0) return
  const failed = new Set<string>()
  for (const parcel of late) if (!(await bring(ctx, parcel, now))) failed.add(parcel.id)
  await ctx.store.transact(async ({ ledger }) => {
    for (const { id } of late) await ledger.setAwaited({ id, since: failed.has(id) ? now : null })
  })
}

/** What is older than anything that is kept is left alone: it has been there, and is gone again. */
async function bring(ctx: Context, { message, createdAt }: LedgerParcel, now: number): Promise<boolean> {
  if (!message || createdAt <= now - ctx.limits.retentionMs) return true
  return (await ctx.store.read.messages.get(message.id)) ? true : pushOne(ctx, message)
}

async function pushOne(ctx: Context, message: Message): Promise<boolean> {
  try {
    const stored = await ctx.store.transact((tx) =>
      storeItems(ctx, tx, [{ message: keyed(message), isOurs: true, isDamped: true }]),
    )
    ring(ctx, stored.rings)
    return true
  } catch (error) {
    if (!(error instanceof PosternError)) throw error
    ctx.note('ledger.late_push_failed', { message: message.id, error: error.message })
    return false
  }
}
