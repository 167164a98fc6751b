import type { PublishMode } from '../../../model/ledger/ledgers.ts'
import { SEED_HIGH, toSeedPriority } from '../../../model/ledger/seed-priority.ts'
import type { Message } from '../../../model/message.ts'
import type { PushResult } from '../../../model/postern.ts'
import { requireAgent } from '../../agents/roster.ts'
import type { Ledgers, LedgerTx } from '../../context.ts'
import { damp } from '../../inbox/damping.ts'
import { deliver, storeDamped } from '../../inbox/deliver.ts'
import { hasOwnKey } from './compose.ts'

export interface Placed {
  readonly message: Message
  /** Undefined where it comes with its entry. */
  readonly result: PushResult | undefined
  /** People who were told of something, and are to be rung after the commit. */
  readonly told: readonly string[]
}

/**
 * Puts a message into the inboxes of those it is for, unless that is left to whoever listens to the ledger. What must be
 * held is in any case decided now, when it is sent.
 */
export async function placeMessage(
  { ctx, ledgers, tx }: LedgerTx,
  message: Message,
  mode: PublishMode,
): Promise<Placed> {
  if (isAtOnce(ledgers, message, mode)) return { message, ...(await deliver(ctx, tx, message, undefined)) }
  const { held, told } = await damp(ctx, tx, message)
  if (held.length > 0) return { message, told, result: await storeDamped(ctx, tx, { message, held }) }
  for (const agent of message.to) await requireAgent(tx, agent)
  return { message, told, result: undefined }
}

/** A key of the sender's is looked for in inboxes alone, so what has one goes there at once. */
function isAtOnce({ ledger }: Ledgers, message: Message, mode: PublishMode): boolean {
  if (ledger.within || mode === 'off' || toSeedPriority(message.priority) <= SEED_HIGH) return true
  return hasOwnKey(message)
}
