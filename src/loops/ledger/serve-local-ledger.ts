import type { Context } from '../../core/context.ts'
import { noteSkipped, takeIn } from '../../core/ledger/intake/take-in.ts'
import { ring } from '../../core/rings/ring.ts'
import { type LedgerPorts, startLedgerServer } from '../../ledger/serve/ledger-server.ts'
import { PosternError } from '../../model/errors.ts'
import type { Loop } from '../loop.ts'

/** Serves a local ledger. Waking it makes every stream to a client read now. */
export interface LocalLedgerServer extends Loop {
  readonly ports: LedgerPorts
}

export interface ServeLocalLedger {
  readonly ports: LedgerPorts
  /** The public key of the operator account that clients start with, as HAPI's `Key` in hex. */
  readonly operatorKey: string
}

/**
 * Serves the local ledger of a store to clients of Hedera. What they submit reaches the inboxes in the same
 * transaction.
 */
export async function serveLocalLedger(ctx: Context, options: ServeLocalLedger): Promise<LocalLedgerServer> {
  const ledgers = await ctx.ledger()
  const { ledger } = ledgers
  if (ledger.kind !== 'local') {
    throw new PosternError('USAGE', {
      message: `The ledger of this home is ${ledger.network}, which serves itself.`,
      next: 'Set "ledger.network" in the configuration to "local" to serve a ledger of your own.',
    })
  }
  const { store, note } = ctx
  return startLedgerServer({
    store,
    ledger,
    note,
    ...options,
    async onEntries(tx, topic, entries) {
      const taken = await takeIn(ctx, ledgers, tx, topic, entries)
      return () => {
        ring(ctx, taken.rings)
        noteSkipped(ctx, topic.id, taken)
      }
    },
  })
}
