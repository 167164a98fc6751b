import type { LedgerListenerStatus } from '../../../host/ledger/open-listener.ts'
import { showField } from '../../../render/terminal.ts'
import type { Command, Io } from '../../shell/command.ts'
import { formatJsonLine } from '../../shell/json.ts'
import { counted } from '../../shell/print.ts'
import { goOnUntilStopped } from '../../shell/stop-signals.ts'
import { describeLabel } from './shown.ts'

const MAX_LINE = 1_000

export const ledgerListen: Command = {
  path: 'ledger listen',
  isForAnyone: true,
  isLocal: true,
  summary: 'Follow a ledger elsewhere: bring its entries into inboxes and publish what waits, until you end it.',
  examples: ['postern ledger listen', 'postern ledger listen --json'],

  async run(io) {
    await goOnUntilStopped(async (stopped) => {
      const { openLedgerListener } = await import('../../../host/ledger/open-listener.ts')
      const listener = await openLedgerListener(io.config, (event, fields) => tell(io, event, fields))
      const { ledger } = listener
      if (io.isJson) io.stdout.line(formatJsonLine({ event: 'ledger.listening', ledger }))
      else io.stderr.line(showField(`Listening (${describeLabel(ledger)}). Ctrl-C ends it.`, MAX_LINE))
      await stopped
      const status = listener.status()
      await listener.close()
      if (io.isJson) io.stdout.line(formatJsonLine({ event: 'ledger.stopped', ...status }))
      else io.stderr.line(describe(status))
    })
    return undefined
  },
}

/** One line for everything that is worth knowing. */
function tell(io: Io, event: string, fields: Readonly<Record<string, unknown>>): void {
  if (io.isJson) io.stdout.line(formatJsonLine({ event, ...fields }))
  else io.stderr.line(showField(`${event} ${JSON.stringify(fields)}`, MAX_LINE))
}

function describe({ entries, messages, published, troubled }: LedgerListenerStatus): string {
  const found = `${counted(messages, 'message')} from ${counted(entries, 'entry', 'entries')}`
  const trouble = troubled.map(({ topic, trouble }) => `; ${topic}: ${trouble}`).join('')
  return showField(`Stopped: ${found}, ${counted(published, 'parcel')} published${trouble}`, MAX_LINE)
}
