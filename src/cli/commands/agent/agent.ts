import { parseAgentKind } from '../../../model/agent.ts'
import type { AgentStatus } from '../../../model/postern.ts'
import { showField } from '../../../render/terminal.ts'
import type { Command, Io } from '../../shell/command.ts'
import { numberIn } from '../../shell/numbers.ts'
import { answer, counted } from '../../shell/print.ts'
import { formatTable } from '../../shell/table.ts'
import { ago } from '../../shell/times.ts'

export const agentAdd: Command = {
  path: 'agent add',
  isForAnyone: true,
  // A removed agent that is restored may be a person.
  isForPeople: (args) => args.get('kind') === 'human' || args.has('owner') || args.has('restore'),
  summary: 'Register an agent or a person, so that messages can reach it.',
  operands: '<id>',
  options: [
    { name: 'kind', value: '<ai|human|service>', summary: 'what it is (default ai)' },
    { name: 'name', value: '<text>', summary: 'the name that is shown (default: the id)' },
    { name: 'owner', summary: 'a person who is told when something needs a person' },
    { name: 'with-broadcasts', summary: 'also deliver earlier broadcasts that have not expired' },
    { name: 'restore', summary: 'bring a removed agent back' },
  ],
  examples: ['postern agent add quinn', 'postern agent add justin --kind human --owner'],

  async run(io, args) {
    const name = args.get('name')
    const kind = args.get('kind')
    const postern = await io.open()
    const agent = await postern.agents.add({
      id: args.operands[0] ?? '',
      ...(kind !== undefined && { kind: parseAgentKind(kind) }),
      ...(args.has('owner') && { isOwner: true }),
      withBroadcasts: args.has('with-broadcasts'),
      restore: args.has('restore'),
      ...(name !== undefined && { displayName: name }),
    })
    answer(io, agent, `Registered ${agent.id} (${agent.kind}).`)
    return undefined
  },
}

export const agentList: Command = {
  path: 'agent list',
  isForAnyone: true,
  summary: 'List who there is.',
  options: [
    { name: 'removed', summary: 'also those that were removed' },
    { name: 'search', value: '<text>', summary: 'only agents whose id or name contains this text' },
    { name: 'limit', value: '<n>', summary: 'at most so many (up to 1000); by default all' },
    { name: 'after', value: '<agent>', summary: 'start after this id (the last of the previous page)' },
  ],

  async run(io, args) {
    const postern = await io.open()
    const [search, after] = [args.get('search'), args.get('after')]
    const limit = numberIn(args, 'limit')
    const items = await postern.agents.list({
      removed: args.has('removed'),
      ...(search !== undefined && { search }),
      ...(after !== undefined && { after }),
      ...(limit !== undefined && { limit }),
    })
    answer(
      io,
      { items, next: items.length === limit ? (items.at(-1)?.id ?? null) : null },
      items.length === 0 ? 'Nobody yet. Begin with "postern agent add <id>".' : agentTable(io, items),
    )
    return undefined
  },
}

function agentTable(io: Io, items: readonly AgentStatus[]): string {
  const rows = items.map((agent) => [
    agent.id,
    agent.removedAt === null ? agent.kind : `${agent.kind}, removed`,
    agent.isOwner ? 'owner' : '',
    String(agent.pending),
    [agent.session?.host, agent.liveness].filter(Boolean).join(', '),
    agent.displayName,
  ])
  return formatTable(['ID', 'KIND', 'ROLE', 'PENDING', 'SESSION', 'NAME'], rows, io.stdout.columns)
}

export const agentShow: Command = {
  path: 'agent show',
  isForAnyone: true,
  summary: 'Show one agent.',
  operands: '<id>',

  async run(io, args) {
    const postern = await io.open()
    const agent = await postern.agents.show({ id: args.operands[0] ?? '' })
    const { session } = agent
    const lines = [
      `${agent.id} (${agent.kind}${agent.isOwner ? ', owner' : ''}): ${agent.displayName}`,
      `${counted(agent.pending, 'message')} pending`,
      session
        ? `session ${session.id} in ${session.host}, ${session.liveness}, last event ${ago(session.lastEventAt, io.now())}`
        : agent.liveness
          ? `a session, ${agent.liveness}`
          : 'no session',
    ]
    answer(io, agent, lines.map((line) => showField(line, 400)).join('\n'))
    return undefined
  },
}

export const agentRename: Command = {
  path: 'agent rename',
  isForPeople: true,
  summary: 'Change the name that is shown; the id never changes.',
  operands: '<id> <name>',

  async run(io, args) {
    const postern = await io.open()
    const [id = '', displayName = ''] = args.operands
    const agent = await postern.agents.rename({ id, displayName })
    answer(io, agent, `${agent.id} is now shown as ${showField(agent.displayName, 200)}.`)
    return undefined
  },
}

export const agentRemove: Command = {
  path: 'agent remove',
  isForPeople: true,
  summary: 'Retire an agent; its id is never given to another.',
  operands: '<id>',

  async run(io, args) {
    const postern = await io.open()
    const agent = await postern.agents.remove({ id: args.operands[0] ?? '' })
    answer(io, agent, `Removed ${agent.id}. What waited for it is cancelled.`)
    return undefined
  },
}
