import type { InboxMessage } from '../../../model/delivery.ts'
import { toSeedPriority } from '../../../model/ledger/seed-priority.ts'
import type { Postern } from '../../../model/postern.ts'
import type { Args, Command, Io } from '../../shell/command.ts'
import { ownAgent, requireOwnAgent } from '../../shell/own-agent.ts'
import { usage } from '../../shell/parse.ts'
import { answer, folded } from '../../shell/print.ts'
import { formatTable } from '../../shell/table.ts'
import { ago } from '../../shell/times.ts'
import { numberIn } from '../ledger/input.ts'
import { describeMessage } from './inbox.ts'

const DEFAULT_LIMIT = 50
const PAGE = 1_000
const PROCESSED: readonly string[] = ['seen', 'acted']

export const inboxMine: Command = {
  path: 'inbox mine',
  summary: 'Read your own inbox: what is not processed yet first, each the newest first.',
  operands: '[id]',
  options: [
    {
      name: 'agent',
      value: '<agent>',
      aliases: ['bead'],
      summary: 'whose inbox (default: your own, or that of the only person)',
    },
    { name: 'limit', value: '<n>', summary: `at most so many (default ${DEFAULT_LIMIT})` },
  ],
  examples: ['postern inbox mine', 'postern inbox mine --agent justin', 'postern inbox mine msg_01J…'],

  run: (io, args) => (args.operands[0] === undefined ? list(io, args) : show(io, args.operands[0])),
}

async function list(io: Io, args: Args): Promise<undefined> {
  const limit = numberIn(inboxMine, args, 'limit') ?? DEFAULT_LIMIT
  if (limit === 0) throw usage(inboxMine, '--limit takes a number from 1')
  const postern = await io.open()
  const agent = await whose(io, args, postern)
  const { waiting, processed } = await readNewest(postern, agent, limit)
  const items = [...waiting.newest, ...processed.newest].slice(0, limit)
  const all = waiting.count + processed.count
  const lines = [
    ...(items.length === 0 ? [`Nothing has come for ${agent}.`] : [table(io, items)]),
    ...(all === items.length ? [] : [`${all - items.length} more: --limit ${all}`]),
    ...(items.length === 0 ? [] : ['Read one whole: postern inbox mine <id>']),
  ]
  answer(io, { items: items.map(toItem), unprocessed: waiting.count, next: null }, lines.join('\n'))
  return undefined
}

/** Whoever names nobody at a machine of which one person is registered is that person. */
async function whose(io: Io, args: Args, postern: Postern): Promise<string> {
  const own = await ownAgent(io, args, postern)
  if (own !== undefined) return own
  const people = (await postern.agents.list()).filter(({ kind }) => kind === 'human')
  const [only] = people
  return only && people.length === 1 ? only.id : requireOwnAgent(io, args, postern)
}

interface Newest {
  count: number
  /** The newest first. */
  newest: InboxMessage[]
}

/** An inbox may be long, and is listed oldest first: no more of it is kept than is shown. */
async function readNewest(postern: Postern, agent: string, limit: number) {
  const waiting: Newest = { count: 0, newest: [] }
  const processed: Newest = { count: 0, newest: [] }
  let after: string | undefined
  do {
    const page = await postern.inbox.list({ agent, which: 'all', limit: PAGE, ...(after !== undefined && { after }) })
    const isProcessed = ({ state }: InboxMessage) => PROCESSED.includes(state)
    keepNewest(processed, page.items.filter(isProcessed), limit)
    keepNewest(
      waiting,
      page.items.filter((message) => !isProcessed(message)),
      limit,
    )
    after = page.next ?? undefined
  } while (after !== undefined)
  return { waiting, processed }
}

function keepNewest(kept: Newest, later: readonly InboxMessage[], limit: number): void {
  kept.count += later.length
  kept.newest = [...later.toReversed(), ...kept.newest].slice(0, limit)
}

/** In the words and on the scale of seed 003. */
function toItem(message: InboxMessage) {
  const { id, agent, from, type, subject, content, ref, priority, state, createdAt, authenticated } = message
  return {
    id,
    to_agent: agent,
    from_agent: from.id,
    verified: from.verified,
    ...(authenticated === false && { authenticated }),
    message_type: type,
    subject: subject ?? content,
    ref,
    priority: toSeedPriority(priority),
    processed: PROCESSED.includes(state),
    state,
    createdAt,
  }
}

function table(io: Io, items: readonly InboxMessage[]): string {
  const rows = items.map(({ id, state, priority, type, from, ref, createdAt, subject, content }) => [
    PROCESSED.includes(state) ? '' : state === 'pending' || state === 'offered' ? 'new' : state,
    String(toSeedPriority(priority)),
    id,
    type,
    from.id,
    ref ?? '',
    ago(createdAt, io.now()),
    subject ?? content,
  ])
  return formatTable(['', 'P', 'ID', 'TYPE', 'FROM', 'ABOUT', 'WHEN', 'WHAT'], rows, io.stdout.columns)
}

async function show(io: Io, id: string): Promise<undefined> {
  const postern = await io.open()
  const shown = await postern.inbox.show({ id })
  answer(io, shown, folded(io, describeMessage(io, shown.message, shown.thread)))
  return undefined
}
