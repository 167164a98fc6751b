import type { LedgerLabel } from '../../../model/ledger/ledgers.ts'
import { showField } from '../../../render/terminal.ts'

const MAX_LINE = 1_000

/** Which ledger it is. Nobody shall take this deployment's own word for that of a network. */
export function describeLabel({ kind, network, public_consensus }: LedgerLabel): string {
  const name = kind === 'local' ? 'local ledger' : `ledger ${network}`
  return `${name}: ${public_consensus ? 'public consensus' : 'no public consensus'}`
}

/** Lines that are fit for a terminal, the last of which says which ledger they speak of. */
export function withLabel(lines: readonly string[], ledger: LedgerLabel): string {
  return [...shownLines(lines), `(${showField(describeLabel(ledger), MAX_LINE)})`].join('\n')
}

export function shownLines(lines: readonly string[]): readonly string[] {
  return lines.map((line) => showField(line, MAX_LINE))
}

/** Where an entry stands, or that it does not yet. */
export function describePlace(topic: string | null, sequence: number | null, parcel: string | null): string {
  if (topic !== null && sequence !== null) return `number ${sequence} on ${topic}`
  if (topic === null && parcel === null) return 'not published'
  return `on its way${topic === null ? '' : ` to ${topic}`}${parcel === null ? '' : ` as ${parcel}`}`
}

/** US dollars. Most prices here are fractions of a cent. */
export function dollars(amount: number): string {
  return `$${amount === 0 || amount >= 1 ? amount.toFixed(2) : amount.toPrecision(2)}`
}

/** `seconds.nanoseconds` as people read times, to the microsecond. */
export function showConsensusTime(consensusAt: string): string {
  const [seconds = '0', nanos = ''] = consensusAt.split('.')
  const date = new Date(Number(seconds) * 1_000)
  if (Number.isNaN(date.getTime())) return consensusAt
  return `${date.toISOString().slice(0, -5)}.${nanos.slice(0, 6)}Z`
}
