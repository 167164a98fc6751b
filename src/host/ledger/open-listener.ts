import type { Context } from '../../core/context.ts'
import { labelOf } from '../../core/ledger/status.ts'
import { type Listening, startListening } from '../../loops/ledger/ledger-listener.ts'
import { PosternError } from '../../model/errors.ts'
import type { LedgerLabel } from '../../model/ledger/ledgers.ts'
import { createSharing } from '../../store/sqlite/sharing.ts'
import type { Config } from '../config/config.ts'
import { openContext } from '../open/context.ts'
import { openStore } from '../open/store.ts'

export type { ListeningStatus } from '../../loops/ledger/ledger-listener.ts'

export interface OpenListening extends Listening {
  /** Which ledger is followed. */
  readonly ledger: LedgerLabel
}

/** Opens the configured store and follows its ledger until it is closed. Refused where there is nothing to follow. */
export async function openListening(config: Config, note: Context['note']): Promise<OpenListening> {
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
    const listening = startListening(ctx)
    return {
      ledger: labelOf(ledger),
      status: () => listening.status(),
      async close() {
        await listening.close()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}
