import type { LedgerSetup, LedgerStatus } from '../../../model/ledger/ledgers.ts'
import type { Command, Io } from '../../shell/command.ts'
import { answer, counted } from '../../shell/print.ts'
import { formatTable } from '../../shell/table.ts'
import { AT_LENGTH_MS, publishOwn } from './publishing.ts'
import { dollars, withLabel } from './shown.ts'

export const ledgerStatus: Command = {
  path: 'ledger status',
  isForAnyone: true,
  summary: 'Tell which ledger it is, who pays, what is on its way, and what was spent today.',

  async run(io) {
    const postern = await io.open()
    const status = await postern.ledger.status()
    answer(io, status, describe(status))
    return undefined
  },
}

function describe(status: LedgerStatus): string {
  const { ledger, operator, topics, waiting, refused, spentToday, budgetPerDay } = status
  const bound = budgetPerDay === null ? 'no bound' : `of ${dollars(budgetPerDay)}`
  const lines = [
    `operator   ${operator}`,
    `topics     ${topics}`,
    `on the way ${counted(waiting, 'parcel')}${refused === 0 ? '' : `, ${refused} refused: see "postern ledger parcels"`}`,
    ...(ledger.kind === 'local' ? [] : [`spent      ${dollars(spentToday)} today (UTC), ${bound}`]),
  ]
  return withLabel(lines, ledger)
}

export const ledgerSetup: Command = {
  path: 'ledger setup',
  isForPeople: true,
  summary: 'Give agents their topics and publish their profiles, as far as they have none.',
  operands: '[agent…]',
  examples: ['postern ledger setup', 'postern ledger setup quinn justin'],

  async run(io, args) {
    const postern = await io.open()
    const setup = await postern.ledger.setup(args.operands.length === 0 ? {} : { agents: args.operands })
    answer(io, setup, describeSetup(io, setup))
    await publishOwn(io, setup.ledger, AT_LENGTH_MS)
    return undefined
  },
}

function describeSetup(io: Io, { ledger, agents, waiting, price }: LedgerSetup): string {
  const rows = agents.map(({ agent, account, inboundTopicId, outboundTopicId, profileTopicId, isNew }) => [
    agent,
    account,
    inboundTopicId,
    outboundTopicId,
    profileTopicId ?? '',
    isNew ? 'new' : 'as before',
  ])
  const header = ['AGENT', 'ACCOUNT', 'INBOUND', 'OUTBOUND', 'PROFILE', 'WHAT']
  const lines = [
    ...(waiting.length === 0 ? [] : [`On their way to the ledger: ${waiting.join(', ')}`]),
    ...(price === 0 ? [] : [`About ${dollars(price)}`]),
  ]
  const table = rows.length === 0 ? [] : [formatTable(header, rows, io.stdout.columns)]
  return [...table, withLabel(rows.length + waiting.length === 0 ? ['Nobody is registered.'] : lines, ledger)].join(
    '\n',
  )
}
