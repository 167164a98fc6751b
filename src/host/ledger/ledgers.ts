import type { Ledgers } from '../../core/context.ts'
import { createLedgerCodec } from '../../ledger/codec/create-codec.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { createLocalLedger } from '../../ledger/local/local-ledger.ts'
import type { Store } from '../../store/store.ts'
import { defaultConfig } from '../config/config.ts'
import { LEDGER, type LedgerConfig } from '../config/ledger.ts'
import type { OpenOptions } from '../open/context.ts'

/** The ledger, for the heart. A part of its own, loaded only where it is touched. */
export async function openLedgers(store: Store, { config = defaultConfig() }: OpenOptions): Promise<Ledgers> {
  const { hedera, ...settings } = config.get(LEDGER)
  return { ledger: await openLedger(store, hedera), codec: createLedgerCodec(), settings }
}

/** What speaks with a network elsewhere is loaded only where one is set. */
async function openLedger(store: Store, hedera: LedgerConfig['hedera']): Promise<Ledger> {
  if (!hedera) return createLocalLedger({ store })
  const { createSigner, openHederaLedger } = await import('../../ledger/hedera/hedera-ledger.ts')
  // A key that cannot be used is told to whoever asks first, not when something waits to be published.
  for (const readKey of Object.values(hedera.keys)) await createSigner(readKey())
  return openHederaLedger(hedera)
}
