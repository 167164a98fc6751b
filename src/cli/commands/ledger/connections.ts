import type { LedgerConnection } from '../../../model/ledger/connection.ts'
import type { Postern } from '../../../model/postern.ts'
import type { Args, Command, Io } from '../../shell/command.ts'
import { ownAgent } from '../../shell/own-agent.ts'
import { usage } from '../../shell/parse.ts'
import { answer } from '../../shell/print.ts'
import { formatTable } from '../../shell/table.ts'
import { ago } from '../../shell/times.ts'
import { answerChange, answerList } from './answers.ts'
import { OWN_AGENT_OPTION, saidIn } from './input.ts'
import { publishOwn } from './publishing.ts'
import { describePlace, withLabel } from './shown.ts'

const REASON = { name: 'reason', value: '<text>', summary: 'why; the other side may read it' }

export const ledgerConnections: Command = {
  path: 'ledger connections',
  summary: 'List the connections between agents of this deployment and outsiders.',
  options: [{ name: 'agent', value: '<agent>', summary: 'only those of one agent (default: your own)' }],

  async run(io, args) {
    const postern = await io.open()
    const agent = await ownAgent(io, args, postern)
    const items = await postern.ledger.connections(agent === undefined ? {} : { agent })
    return answerList(io, postern, { items, table: connectionTable, none: 'There is no connection.' })
  },
}

function connectionTable(io: Io, items: readonly LedgerConnection[]): string {
  const rows = items.map(({ id, agent, isIncoming, peerAccount, state, topicId, createdAt, reason }) => [
    id,
    agent,
    isIncoming ? 'from' : 'to',
    peerAccount,
    state,
    topicId ?? '',
    ago(createdAt, io.now()),
    reason ?? '',
  ])
  const header = ['ID', 'AGENT', 'ASKED', 'OUTSIDER', 'STATE', 'TOPIC', 'WHEN', 'WHY']
  return formatTable(header, rows, io.stdout.columns)
}

export const ledgerConnect: Command = {
  path: 'ledger connect',
  summary: 'Ask an outsider for a connection.',
  operands: '<inbound-topic>',
  options: [OWN_AGENT_OPTION],
  examples: ['postern ledger connect 0.0.1042 --agent quinn'],

  run: (io, args) =>
    change(io, async (postern) => {
      const agent = await ownAgent(io, args, postern)
      const inbound_topic_id = args.operands[0] ?? ''
      return postern.ledger.connect({ inbound_topic_id, ...(agent !== undefined && { agent }) })
    }),
}

export const ledgerAccept: Command = {
  path: 'ledger accept',
  summary: 'Accept the request of an outsider: both may then write on a topic of their own.',
  operands: '<id>',
  options: [OWN_AGENT_OPTION],
  run: (io, args) => change(io, (postern) => postern.ledger.accept({ id: args.operands[0] ?? '' })),
}

export const ledgerReject: Command = {
  path: 'ledger reject',
  summary: 'Refuse the request of an outsider.',
  operands: '<id>',
  options: [REASON, OWN_AGENT_OPTION],
  run: (io, args) => change(io, (postern) => postern.ledger.reject(endingIn(args))),
}

export const ledgerDisconnect: Command = {
  path: 'ledger disconnect',
  summary: 'Close a connection, and tell the outsider why.',
  operands: '<id>',
  options: [REASON, OWN_AGENT_OPTION],
  run: (io, args) => change(io, (postern) => postern.ledger.disconnect(endingIn(args))),
}

function endingIn(args: Args): { readonly id: string; readonly reason?: string } {
  const reason = args.get('reason')
  return { id: args.operands[0] ?? '', ...(reason !== undefined && { reason }) }
}

function change(io: Io, make: (postern: Postern) => Promise<LedgerConnection>): Promise<undefined> {
  return answerChange(io, make, describe)
}

function describe({ id, agent, peerAccount, state, topicId, isIncoming }: LedgerConnection): string {
  const between = `${id} between ${agent} and ${peerAccount}`
  if (state === 'open') return `Open: ${between}${topicId === null ? '' : ` on ${topicId}`}`
  if (state === 'closed') return `Closed: ${between}`
  return isIncoming ? `Being accepted: ${between}` : `Asked: ${between}`
}

export const ledgerSay: Command = {
  path: 'ledger say',
  summary: 'Write to the outsider on the other side of a connection.',
  operands: '<connection> [text]',
  options: [OWN_AGENT_OPTION],
  examples: ['postern ledger say con_01J… "We can begin."'],

  async run(io, args) {
    const [connection = '', typed] = args.operands
    const text = await saidIn(io, typed)
    if (text === undefined) throw usage(ledgerSay, 'The text is missing; "-" reads it from stdin')
    const postern = await io.open()
    const said = await postern.ledger.say({ connection, text })
    answer(io, said, withLabel([`Said: ${describePlace(said.topic_id, said.sequence, said.parcel)}`], said.ledger))
    await publishOwn(io, said.ledger)
    return undefined
  },
}
