import type { PublishMode } from '../../../model/ledger/ledgers.ts'
import { SEED_HIGH, toSeedPriority } from '../../../model/ledger/seed-priority.ts'
import type { Message } from '../../../model/message.ts'
import type { PushResult } from '../../../model/postern.ts'
import type { Ledgers, LedgerTx } from '../../context.ts'
import { damp } from '../../deliveries/damping.ts'
import { deliver, storeDamped } from '../../deliveries/deliver.ts'
import { requireAgent } from '../../registry/find.ts'
import { hasOwnKey } from './compose.ts'

export interface SentDelivery {
  readonly message: Message
  /** Undefined if it comes with its entry. */
  readonly result: PushResult | undefined
  /** People who were told something. They are rung after the commit. */
  readonly told: readonly string[]
}

/**
 * Puts a message into the inboxes of its recipients now, or leaves that to the listener who reads its entry. Whether it
 * must be held is decided now in either case, when it is sent.
 */
export async function deliverOrDefer(
  { ctx, ledgers, tx }: LedgerTx,
  message: Message,
  mode: PublishMode,
): Promise<SentDelivery> {
  if (isAtOnce(ledgers, message, mode)) return { message, ...(await deliver(ctx, tx, message, undefined)) }
  const { held, told } = await damp(ctx, tx, message)
  if (held.length > 0) return { message, told, result: await storeDamped(ctx, tx, { message, held }) }
  for (const agent of message.to) await requireAgent(tx, agent)
  return { message, told, result: undefined }
}

/** A message with its sender's own key goes to the inbox at once: only inboxes are searched for such keys. */
function isAtOnce({ ledger }: Ledgers, message: Message, mode: PublishMode): boolean {
  if (ledger.within || mode === 'off' || toSeedPriority(message.priority) <= SEED_HIGH) return true
  return hasOwnKey(message)
}
