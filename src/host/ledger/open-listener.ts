import type { Context } from '../../core/context.ts'
import { labelOf } from '../../core/ledger/status.ts'
import { type LedgerListener, startLedgerListener } from '../../loops/ledger/ledger-listener.ts'
import { PosternError } from '../../model/errors.ts'
import type { LedgerLabel } from '../../model/ledger/ledgers.ts'
import { createSharing } from '../../store/sqlite/sharing.ts'
import type { Config } from '../config/config.ts'
import { openContext, requireUsableRules } from '../open/context.ts'
import { openStore } from '../open/store.ts'

export type { LedgerListenerStatus } from '../../loops/ledger/ledger-listener.ts'

export interface OpenLedgerListener extends LedgerListener {
  /** The ledger that is followed. */
  readonly ledger: LedgerLabel
}

/** Opens the configured store and follows its ledger until it is closed. Refuses the local ledger, which needs no listener. */
export async function openLedgerListener(config: Config, note: Context['note']): Promise<OpenLedgerListener> {
  requireUsableRules(config)
  const { store, wire } = await openStore(config, { isShared: true, sharing: createSharing() })
  const options = { config, home: config.home, limits: config.limits, isShared: true, note }
  const { ctx, close } = openContext(store, wire, options)
  try {
    const { ledger } = await ctx.ledger()
    if (ledger.kind === 'local') {
      throw new PosternError('USAGE', {
        message: 'The local ledger needs no listener: what is written there is in the inbox at once.',
        next: 'Set "ledger.network" in the configuration to follow another.',
      })
    }
    const listener = startLedgerListener(ctx)
    return {
      ledger: labelOf(ledger),
      status: () => listener.status(),
      wake: () => listener.wake(),
      async close() {
        await listener.close()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}
