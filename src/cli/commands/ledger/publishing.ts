import type { LedgerLabel } from '../../../model/ledger/ledgers.ts'
import type { Io } from '../../shell/command.ts'
import { counted } from '../../shell/print.ts'

/** Most of what is published takes a few seconds. */
const BRIEFLY_MS = 8_000
/** The topics and the profile of an agent take several times that. */
export const AT_LENGTH_MS = 60_000

/**
 * After its answer, a command publishes what it has decided on, for no server may be there to do it. On the local ledger
 * everything is published already, and behind a server that one does it.
 */
export async function publishOwn(io: Io, { kind }: LedgerLabel, forMs = BRIEFLY_MS): Promise<void> {
  if (kind === 'local' || io.config.url !== null) return
  const { publishBriefly } = await import('../../../host/ledger/publish-briefly.ts')
  const waiting = await publishBriefly({ config: io.config, forMs })
  if (waiting === 0) return
  io.stderr.line(
    `${counted(waiting, 'parcel')} on the way; "postern serve" or "postern ledger listen" goes on with it.`,
  )
}
