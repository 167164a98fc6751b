import { agentOf } from '../../../model/caller.ts'
import type { Decision } from '../../../model/decision.ts'
import type { InboxMessage } from '../../../model/delivery.ts'
import type { Gate } from '../../../model/gate.ts'
import type { AgentStatus, Postern } from '../../../model/postern.ts'
import { formatPriority } from '../../../model/priority.ts'
import type { Command, Io } from '../../shell/command.ts'
import { answer, counted } from '../../shell/print.ts'
import { formatTable } from '../../shell/table.ts'
import { ago } from '../../shell/times.ts'
import { onlyPerson } from './person.ts'

const SHOWN = 10

/** What an operation lists at once. Where there is more, that is said. */
const MOST = 1_000

/** What somebody wants to know who comes to their desk. */
interface Status {
  /** Who looks; null where that is nobody in particular. */
  readonly for: string | null
  readonly pending: number
  /** The first of what waits. */
  readonly messages: readonly InboxMessage[]
  /** Questions that wait for this person, or of everybody where nobody in particular looks. */
  readonly decisions: readonly Decision[]
  readonly gates: readonly Gate[]
  readonly agents: readonly (AgentStatus & { readonly doing: Doing })[]
}

type Doing = 'working' | 'idle' | 'gone' | 'away' | 'person'

export const status: Command = {
  path: 'status',
  summary: 'Say what waits for you, and which agents are alive.',
  examples: ['postern status', 'postern status --as justin --json'],

  async run(io) {
    const found = await look(await io.open())
    answer(io, found, describe(io, found))
    return undefined
  },
}

async function look(postern: Postern): Promise<Status> {
  const agents = await postern.agents.list()
  const who = agentOf(postern.caller) ?? onlyPerson(agents)?.id ?? null
  const isAi = agents.find(({ id }) => id === who)?.kind === 'ai'
  return {
    for: who,
    pending: agents.find(({ id }) => id === who)?.pending ?? 0,
    messages: who === null ? [] : (await postern.inbox.list({ agent: who, limit: SHOWN })).items,
    decisions: await postern.decisions.list({ limit: MOST, ...(who !== null && { concerning: who }) }),
    gates: await postern.gates.list({ limit: MOST, ...(who !== null && isAi && { agent: who }) }),
    agents: agents.map((agent) => ({ ...agent, doing: doingOf(agent) })),
  }
}

function doingOf({ kind, session }: AgentStatus): Doing {
  if (kind === 'human') return 'person'
  if (session === null) return 'away'
  if (session.liveness === 'gone') return 'gone'
  return session.idleSince === null ? 'working' : 'idle'
}

function describe(io: Io, found: Status): string {
  const { agents, decisions, messages, gates } = found
  if (agents.length === 0) return EMPTY
  const parts = [
    headline(found),
    section(io, ['DECISION', 'ASKED BY', 'WHEN', 'QUESTION'], decisions, (each) => [
      each.id,
      each.agent,
      ago(each.createdAt, io.now()),
      each.question,
    ]),
    section(io, ['MESSAGE', 'PRIORITY', 'FROM', 'WHEN', 'WHAT'], messages, (each) => [
      each.id,
      formatPriority(each.priority),
      each.from.id,
      ago(each.createdAt, io.now()),
      each.subject ?? each.content,
    ]),
    section(io, ['GATE', 'HOLDS', 'KIND', 'WHEN', 'WHY'], gates, (each) => [
      each.id,
      each.agent,
      each.kind,
      ago(each.createdAt, io.now()),
      each.reason,
    ]),
    section(io, ['AGENT', 'DOING', 'PENDING', 'HOST', 'HEARD'], agents, (each) => [
      each.id,
      each.doing,
      String(each.pending),
      each.session?.host ?? '',
      each.session ? ago(each.session.lastEventAt, io.now()) : '',
    ]),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

const EMPTY = `Nobody is registered yet. Begin with "postern agent add <id>", or look at a lively scene: postern demo`

function headline({ for: who, pending, decisions, gates }: Status): string {
  const waits = [orMore(decisions.length, 'decision'), orMore(gates.length, 'open gate')]
  return who === null
    ? `${waits.join(', ')}. (Name yourself with --as to see your messages.)`
    : `For ${who}: ${[counted(pending, 'message'), ...waits].join(', ')}.`
}

function orMore(count: number, what: string): string {
  return `${count < MOST ? '' : 'at least '}${counted(count, what)}`
}

function section<T>(
  io: Io,
  header: readonly string[],
  items: readonly T[],
  row: (item: T) => readonly string[],
): string {
  return items.length === 0 ? '' : formatTable(header, items.slice(0, SHOWN * 2).map(row), io.stdout.columns)
}
