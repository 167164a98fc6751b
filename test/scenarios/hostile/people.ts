import { showEntries } from '../../../src/cli/commands/bus/shown.ts'
import { COMMANDS } from '../../../src/cli/commands/commands.ts'
import type { Io } from '../../../src/cli/shell/command.ts'
import { parseArgs } from '../../../src/cli/shell/parse.ts'
import { readConfig } from '../../../src/host/config/config.ts'
import type { Caller } from '../../../src/model/caller.ts'
import { asPosternError } from '../../../src/model/errors.ts'
import { renderDrain } from '../../../src/render/drain.ts'
import { renderInheritance } from '../../../src/render/handoff.ts'
import { foldLines, showField } from '../../../src/render/terminal.ts'
import { problemOf, problemReply } from '../../../src/server/problem.ts'
import type { Output } from './oracle.ts'
import { DRAIN_READER, MCP_READER, OTTO, PETRA, READERS, type Refusal, type Scene } from './scene.ts'

/** Everything that reaches a person at a terminal, in words, folded and as JSON, and what a refused client is told. */
export async function readAsPeople(scene: Scene): Promise<readonly Output[]> {
  const outputs: Output[] = []
  for (const way of WAYS) {
    for (const words of await commandLines(scene, way)) outputs.push(await runCommand(scene, words, way))
    outputs.push(...(await readStreams(scene, way)))
  }
  return [...outputs, ...scene.refusals.flatMap(describeRefusal)]
}

interface Way {
  readonly name: 'pipe' | 'terminal' | 'JSON'
  readonly columns: number
}

const WAYS: readonly Way[] = [
  { name: 'pipe', columns: 1_000 },
  { name: 'terminal', columns: 80 },
  { name: 'JSON', columns: 1_000 },
]

const NONCE = 'abcdefghjkmn'

/** Every command that shows what others wrote. */
async function commandLines({ postern, project }: Scene, way: Way): Promise<readonly (readonly string[])[]> {
  const { items } = await postern.inbox.list({ agent: MCP_READER, which: 'all', limit: 1_000 })
  const gates = await postern.gates.list({ agent: MCP_READER, all: true })
  const decisions = await postern.decisions.list({ all: true })
  const plans = await postern.plans.list({ all: true })
  const topics = await postern.ledger.topics({})
  const services = await postern.services.list({})
  const handed = await postern.handoff.list({ project })
  const agents = await postern.agents.list()
  // Each thing is shown whole in one of the ways: there are enough of every kind.
  const some = <T>(things: readonly T[]) => things.filter((_, at) => at % WAYS.length === WAYS.indexOf(way))
  const spaces = await postern.spaces.list({})
  const people = [PETRA.caller.id, OTTO.caller.id]
  const notices = (await Promise.all(people.map((agent) => postern.inbox.list({ agent, limit: 1_000 })))).flatMap(
    ({ items }) => items,
  )
  return [
    ...[MCP_READER, ...people].map((agent) => ['inbox', 'list', '--agent', agent, '--all', '--limit', '1000']),
    ['inbox', 'mine', '--agent', PETRA.caller.id],
    ['inbox', 'search', 'zq*', '--limit', '1000'],
    ['inbox', 'held', 'list'],
    ...some([...items, ...notices]).flatMap(({ id }) => [
      ['inbox', 'show', id],
      ['trace', id],
    ]),
    ['gate', 'list', '--all'],
    ...some(gates).map(({ id }) => ['gate', 'show', id]),
    ['decision', 'list', '--all'],
    ...some(decisions).map(({ id }) => ['decision', 'show', id]),
    ['space', 'list', '--all'],
    ...spaces.flatMap(({ id }) => [
      ['space', 'show', id],
      ['space', 'history', id, '--limit', '200'],
    ]),
    ['plan', 'list', '--all'],
    ...plans.map(({ id }) => ['plan', 'show', id]),
    ['bus', 'issues', '--project', 'shop'],
    ['bus', 'issues', '--project', 'shop', '--format', 'mermaid'],
    ['bus', 'issues', '--project', 'shop', '--format', 'dot'],
    ['bus', 'list'],
    ['handoff', 'list', '--project', project],
    ...handed.items.map(({ name }) => ['handoff', 'show', '--project', project, '--', name]),
    ['handoff', 'outbox', 'list', '--project', project],
    ['service', 'list', '--all'],
    ...services.map(({ id }) => ['service', 'events', id]),
    ['note', 'list', 'task:SHOP-1'],
    ['ledger', 'topics'],
    ...topics.map(({ id }) => ['ledger', 'read', id]),
    ['ledger', 'profile', 'morta'],
    ['ledger', 'connections', '--agent', MCP_READER],
    ['ledger', 'parcels'],
    ['events', '--latest', '1000', '--limit', '1000'],
    ['status'],
    ['agent', 'list'],
    ...agents.map(({ id }) => ['agent', 'show', id]),
    ['token', 'list'],
  ]
}

async function runCommand(scene: Scene, words: readonly string[], way: Way): Promise<Output> {
  const isJson = way.name === 'JSON' && !words.includes('--format')
  const command = COMMANDS.find(({ path }) => words.slice(0, path.split(' ').length).join(' ') === path)
  if (!command) throw new Error(`there is no command ${words.join(' ')}`)
  const lines: string[] = []
  const out = { isTerminal: way.name === 'terminal', columns: way.columns, line: (text: string) => lines.push(text) }
  const io: Io = {
    config: configOf(scene),
    isJson,
    stdout: out,
    stderr: out,
    readStdin: async () => '',
    environmentAgent: undefined,
    open: async () => scene.as(ASKER),
    now: Date.now,
  }
  const name = `${command.path} (${way.name})`
  try {
    await command.run(io, parseArgs(command, words.slice(command.path.split(' ').length)))
  } catch (error) {
    const { message, next } = asPosternError(error)
    throw new Error(`${words.join(' ')}: ${message} ${next}`, { cause: error })
  }
  return { name, form: isJson ? 'escaped' : 'terminal', text: lines.join('\n') }
}

const ASKER: Caller = { id: 'petra', kind: 'human', verified: true, via: 'cli' }

function configOf({ home }: Scene) {
  return readConfig({ flags: { home }, env: {}, cwd: home })
}

/** Commands that write as they read; here they are taken apart, and the executable proves the rest. */
async function readStreams(scene: Scene, way: Way): Promise<readonly Output[]> {
  if (way.name === 'JSON') return []
  const { postern, project } = scene
  const fold = (text: string) => (way.name === 'terminal' ? foldLines(text, way.columns) : text)
  const form = way.name === 'terminal' ? 'terminal' : 'fence'
  const outputs: Output[] = []
  for (const agent of [DRAIN_READER, PETRA.caller.id, OTTO.caller.id]) {
    const drained = await postern.inbox.drain({ agent, maxMessages: 1_000 })
    if (drained.offer) await postern.inbox.release({ offerId: drained.offer.id, reason: 'others read it too' })
    const text = renderDrain(drained, { nonce: NONCE, style: 'terminal' })
    outputs.push({ name: `inbox drain (${way.name})`, form, text: fold(text) })
  }
  const page = await postern.bus.read({ project_id: 'shop', tail: 0 })
  const stdout = { isTerminal: way.name === 'terminal', columns: way.columns, line: () => {} }
  outputs.push({ name: `bus read (${way.name})`, form: 'terminal', text: showEntries({ stdout }, page.items, true) })
  const inheritance = await postern.handoff.inherit({ project, agent: READERS[0] ?? '', session: 's', maxTokens: 1e6 })
  if (inheritance.id !== null) await postern.handoff.release({ id: inheritance.id, reason: 'others read it too' })
  const text = renderInheritance(inheritance, { nonce: NONCE })
  outputs.push({ name: `handoff inherit (${way.name})`, form, text: fold(text) })
  return outputs
}

const MAX_ERROR_WIDTH = 2_000

/** What the caller itself has said comes back in one line of words, or as a value. */
function describeRefusal({ name, error }: Refusal): readonly Output[] {
  const { message, next, code } = error
  const words = `postern: ${showField(message, MAX_ERROR_WIDTH)} ${showField(next, MAX_ERROR_WIDTH)} [${code}]`
  return [
    { name: `refusal of ${name}`, form: 'refusal', refused: name, text: words },
    {
      name: `problem of ${name}`,
      form: 'refusal',
      refused: name,
      text: String(problemReply(problemOf(error, 'req_1')).body),
    },
  ]
}
