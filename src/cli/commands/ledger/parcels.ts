import type { LedgerParcel } from '../../../model/ledger/parcel.ts'
import type { Postern } from '../../../model/postern.ts'
import type { Command, Io } from '../../shell/command.ts'
import { formatTable } from '../../shell/table.ts'
import { ago } from '../../shell/times.ts'
import { answerChange, answerList } from './answers.ts'

export const ledgerParcels: Command = {
  path: 'ledger parcels',
  summary: 'List what is on its way to the ledger, or was refused.',
  options: [{ name: 'state', value: '<state>', summary: 'waiting, refused, published or dropped' }],
  examples: ['postern ledger parcels', 'postern ledger parcels --state refused'],

  async run(io, args) {
    const state = args.get('state')
    const postern = await io.open()
    const items = await postern.ledger.parcels(state === undefined ? {} : { state })
    return answerList(io, postern, { items, table: parcelTable, none: 'Nothing is on its way.' })
  },
}

function parcelTable(io: Io, items: readonly LedgerParcel[]): string {
  const rows = items.map(({ id, purpose, about, state, done, steps, attempts, createdAt, error }) => [
    id,
    purpose,
    about ?? '',
    state,
    `${done}/${steps.length}`,
    String(attempts),
    ago(createdAt, io.now()),
    error ?? '',
  ])
  return formatTable(['ID', 'WHAT', 'ABOUT', 'STATE', 'DONE', 'TRIES', 'WHEN', 'WHY'], rows, io.stdout.columns)
}

export const ledgerRetry: Command = {
  path: 'ledger retry',
  isForPeople: true,
  summary: 'Try to publish once more what the ledger has refused, or what waits for its next try.',
  operands: '<id>',
  run: (io, args) => change(io, (postern) => postern.ledger.retry({ id: args.operands[0] ?? '' })),
}

export const ledgerDrop: Command = {
  path: 'ledger drop',
  isForPeople: true,
  summary: 'Give up what was to be published. What the ledger has already stays there.',
  operands: '<id>',
  run: (io, args) => change(io, (postern) => postern.ledger.drop({ id: args.operands[0] ?? '' })),
}

function change(io: Io, make: (postern: Postern) => Promise<LedgerParcel>): Promise<undefined> {
  return answerChange(io, make, ({ id, state }) => `${id} is ${state}`)
}
