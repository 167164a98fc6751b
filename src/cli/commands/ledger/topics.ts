import type { TopicPage } from '../../../model/ledger/ledgers.ts'
import type { LedgerTopic } from '../../../model/ledger/topic.ts'
import { showBlock } from '../../../render/terminal.ts'
import type { Command, Io } from '../../shell/command.ts'
import { usage } from '../../shell/parse.ts'
import { answer, folded } from '../../shell/print.ts'
import { formatTable } from '../../shell/table.ts'
import { answerList } from './answers.ts'
import { OWN_AGENT_OPTION, PAGE_OPTIONS, pageIn } from './input.ts'
import { publishOwn } from './publishing.ts'
import { showConsensusTime, shownLines, withLabel } from './shown.ts'

export const ledgerTopics: Command = {
  path: 'ledger topics',
  isForAnyone: true,
  summary: 'List the topics that are known here.',
  options: [
    { name: 'role', value: '<role>', summary: 'inbound, outbound, connection, work, definitions, file or foreign' },
    { name: 'of', value: '<agent>', summary: 'only those of one agent' },
  ],
  examples: ['postern ledger topics', 'postern ledger topics --role work'],

  async run(io, args) {
    const [role, agent] = [args.get('role'), args.get('of')]
    const postern = await io.open()
    const items = await postern.ledger.topics({
      ...(role !== undefined && { role }),
      ...(agent !== undefined && { agent }),
    })
    return answerList(io, postern, { items, table: topicTable, none: 'There is no topic.' })
  },
}

function topicTable(io: Io, items: readonly LedgerTopic[]): string {
  const rows = items.map(({ id, role, agent, entity, sequence, memo, trouble, deletedAt }) => [
    id,
    role,
    entity ?? agent ?? '',
    String(sequence),
    deletedAt === null ? (trouble ?? '') : 'deleted',
    memo,
  ])
  return formatTable(['TOPIC', 'ROLE', 'OF', 'ENTRIES', 'STATE', 'MEMO'], rows, io.stdout.columns)
}

export const ledgerTopicCreate: Command = {
  path: 'ledger topic create',
  summary: 'Make the topic of a task, phase, stage or project, if it has none.',
  options: [{ name: 'entity', value: '<item>', summary: 'such as task:PROJ-12' }, OWN_AGENT_OPTION],
  examples: ['postern ledger topic create --entity task:PROJ-12'],

  async run(io, args) {
    const entity = args.get('entity')
    if (entity === undefined) throw usage(ledgerTopicCreate, '--entity is missing, such as task:PROJ-12')
    const postern = await io.open()
    const created = await postern.ledger.createTopic({ entity })
    const { topic, isNew } = created
    const where = topic === null ? 'is on its way to the ledger' : `is ${topic.id}`
    const line = `The topic of ${created.entity} ${where}${isNew || topic === null ? '' : ' already'}`
    answer(io, created, withLabel([line], created.ledger))
    await publishOwn(io, created.ledger)
    return undefined
  },
}

export const ledgerRead: Command = {
  path: 'ledger read',
  summary: 'Read the entries of a topic, oldest first.',
  operands: '<topic>',
  options: [...PAGE_OPTIONS, OWN_AGENT_OPTION],
  examples: ['postern ledger read 0.0.1005', 'postern ledger read task:PROJ-12 --after 20'],

  async run(io, args) {
    const postern = await io.open()
    const page = await postern.ledger.read({ topic: args.operands[0] ?? '', ...pageIn(ledgerRead, args) })
    answer(io, page, describePage(io, page))
    return undefined
  },
}

function describePage(io: Io, { ledger, topic, entries, next }: TopicPage): string {
  const head = shownLines([`${topic.id} · ${topic.role} · ${topic.entity ?? topic.agent ?? ''} · ${topic.memo}`])
  const none = ledger.kind === 'local' ? 'No entries.' : 'No entries are held here.'
  const shown = entries.length === 0 ? [none] : entries.map((entry) => showEntry(io, entry))
  return [...head, ...shown, withLabel(next === null ? [] : [`More: --after ${next}`], ledger)].join('\n')
}

function showEntry(
  io: Io,
  { sequence, consensusAt, payer, chunk, message, text, body }: TopicPage['entries'][number],
): string {
  const part = chunk === null ? '' : ` · part ${chunk.number} of ${chunk.total}`
  const head = shownLines([`${sequence} · ${showConsensusTime(consensusAt)} · paid by ${payer}${part}`])
  const rest = body === null ? [] : [...shownLines(['not published, kept here:']), showBlock(body)]
  return folded(io, [...head, showBlock(text ?? `(bytes) ${message}`), ...rest].join('\n'))
}
