import { resolve } from 'node:path'
import { formatBusCondition, parseBusCondition } from '../../../model/bus/condition.ts'
import { describeAuthor } from '../../../model/caller.ts'
import { EXIT } from '../../../model/errors.ts'
import { parseGateHook, parseGateKind, parseGateMode, parsePolicy } from '../../../model/gate.ts'
import type { CreateGate } from '../../../model/gates.ts'
import type { Postern } from '../../../model/postern.ts'
import { formatServiceCondition, type Wanted } from '../../../model/sources/service-condition.ts'
import { renderGate } from '../../../render/gate.ts'
import { showField } from '../../../render/terminal.ts'
import type { Args, Command, Io } from '../../shell/command.ts'
import { requireOwnAgent } from '../../shell/own-agent.ts'
import { usage } from '../../shell/parse.ts'
import { answer, folded } from '../../shell/print.ts'
import { formatTable } from '../../shell/table.ts'
import { requireDuration } from '../../shell/times.ts'

const AGENT = {
  name: 'agent',
  value: '<agent>',
  aliases: ['bead'],
  summary: 'whom it holds (default: yourself)',
} as const

const YOURSELF = { name: 'agent', value: '<agent>', aliases: ['bead'], summary: 'your own agent' } as const

/** What a gate waits for is one option, by its kind. */
const AWAITED = ['message', 'decision', 'command', 'gate', 'service', 'bus'] as const

export const gateCreate: Command = {
  path: 'gate create',
  isAboutAgent: true,
  summary: 'Hold an agent until something has come.',
  operands: '[reason]',
  options: [
    AGENT,
    {
      name: 'kind',
      value: '<kind>',
      summary: 'human (default), timer, message, decision, command, gate, service or bus',
    },
    { name: 'mode', value: '<mode>', summary: 'strict (default) holds, soft warns once' },
    { name: 'hook', value: '<hook>', summary: 'stop (default), or tool' },
    { name: 'tool', value: '<name>', summary: 'only the use of this tool, such as Bash or mcp__github__*' },
    { name: 'reason', value: '<text>', summary: 'why; it is shown to whoever is held' },
    { name: 'after', value: '<duration>', summary: 'timer: how long it holds' },
    { name: 'message', value: '<id>', summary: 'message: until somebody has replied to it' },
    { name: 'decision', value: '<id>', summary: 'decision: until it is answered' },
    { name: 'command', value: '<command>', summary: 'command: until it succeeds' },
    { name: 'gate', value: '<id>', summary: 'gate: until that one is closed' },
    { name: 'service', value: '<name>', summary: 'service: until a service of that name sends an event' },
    { name: 'bus', value: '<project[/task]>', summary: 'bus: until somebody writes an entry there' },
    { name: 'where', value: '<path=value>', multiple: true, summary: 'service, bus: only one that holds this' },
    { name: 'timeout', value: '<duration>', summary: 'expires after' },
    { name: 'remind', value: '<duration>', summary: 'remind people this often' },
    { name: 'escalate-to', value: '<agent>', summary: 'whom to tell when it takes too long' },
    { name: 'escalate-after', value: '<duration>', summary: 'when that is' },
    { name: 'waiter', value: '<agent>', multiple: true, summary: 'who is told too when it closes' },
    { name: 'on-unavailable', value: '<policy>', summary: 'allow or block, while the store cannot be read' },
  ],
  examples: [
    'postern gate create --agent quinn --kind human --mode strict --reason "Justin must look at the migration first"',
    'postern gate create --agent quinn --kind command --command "npm test" "The tests must pass"',
    'postern gate create --agent quinn --kind service --service ci --where status=success "CI must be green"',
    'postern gate create --agent quinn --kind bus --bus conductor/task-docs --where type=ANSWER "Somebody must answer"',
    'postern gate create --agent quinn --hook tool --tool Bash --kind timer --after 10m "The deploy is running"',
  ],

  async run(io, args) {
    const input = readGate(args)
    const postern = await io.open()
    const agent = await requireOwnAgent(io, args, postern)
    const gate = await postern.gates.create({ agent, ...input })
    const { id, state, closedReason } = gate
    answer(
      io,
      gate,
      state === 'open' ? `Open: ${id} holds ${gate.agent}.` : `${capital(state)}: ${id}, for ${closedReason}.`,
    )
    return undefined
  },
}

function readGate(args: Args): Omit<CreateGate, 'agent'> {
  const named = AWAITED.filter((name) => args.has(name))
  if (named.length > 1) throw usage(gateCreate, `A gate waits for one thing, not for ${named.join(' and ')}`)
  const [awaited] = named
  const kind = parseGateKind(args.get('kind') ?? awaited ?? (args.has('after') ? 'timer' : 'human'))
  if (awaited !== undefined && awaited !== kind) throw usage(gateCreate, `--${awaited} is for a gate of that kind`)
  if (args.has('where') && kind !== 'service' && kind !== 'bus')
    throw usage(gateCreate, '--where is for a gate of the kind service or bus')
  if (args.has('reason') && args.operands.length > 0)
    throw usage(gateCreate, 'The reason is given twice, as an argument and by --reason')
  const reason = args.get('reason') ?? args.operands[0]
  if (reason === undefined) throw usage(gateCreate, 'The reason is missing')
  const [tool, escalateTo] = [args.get('tool'), args.get('escalate-to')]
  const hook = args.get('hook') ?? (tool === undefined ? undefined : 'tool')
  const waiters = args.all('waiter').flatMap((names) => names.split(','))
  return {
    kind,
    reason,
    ...(awaited && { awaits: awaitedIn(args, awaited) }),
    ...(kind === 'command' && { folder: resolve('.') }),
    ...(args.has('mode') && { mode: parseGateMode(args.get('mode')) }),
    ...(hook !== undefined && { hook: parseGateHook(hook) }),
    ...(args.has('on-unavailable') && { onUnavailable: parsePolicy(args.get('on-unavailable')) }),
    ...(tool !== undefined && { tool }),
    ...(escalateTo !== undefined && { escalateTo }),
    ...(waiters.length > 0 && { waiters }),
    ...span(args, 'after', 'afterMs'),
    ...span(args, 'timeout', 'timeoutMs'),
    ...span(args, 'remind', 'remindEveryMs'),
    ...span(args, 'escalate-after', 'escalateAfterMs'),
  }
}

function awaitedIn(args: Args, name: (typeof AWAITED)[number]): string {
  const named = args.get(name) ?? ''
  if (name !== 'service' && name !== 'bus') return named
  const where = args.all('where').map((text): Wanted => {
    const at = text.indexOf('=')
    if (at <= 0) throw usage(gateCreate, '--where takes a path and a value, such as status=success')
    return [text.slice(0, at), text.slice(at + 1)]
  })
  if (name === 'service') return formatServiceCondition({ service: named, where })
  const condition = parseBusCondition(named)
  return formatBusCondition({ ...condition, where: [...condition.where, ...where] })
}

function span<K extends string>(args: Args, name: string, key: K): Partial<Record<K, number>> {
  const value = args.get(name)
  return value === undefined ? {} : ({ [key]: requireDuration(value) } as Record<K, number>)
}

export const gateList: Command = {
  path: 'gate list',
  isForAnyone: true,
  summary: 'List the gates that are open.',
  options: [
    { ...AGENT, summary: 'only those of one agent' },
    { name: 'all', summary: 'also those that are closed' },
  ],

  async run(io, args) {
    const postern = await io.open()
    const agent = args.get('agent')
    const items = await postern.gates.list({ ...(agent !== undefined && { agent }), all: args.has('all') })
    const rows = items.map(({ id, agent: held, state, mode, kind, hook, createdBy, createdTrust, reason }) => [
      id,
      held,
      state,
      `${mode} ${kind}`,
      hook,
      describeAuthor(createdBy, createdTrust),
      reason,
    ])
    const table = formatTable(['ID', 'AGENT', 'STATE', 'KIND', 'HOLDS', 'SET BY', 'REASON'], rows, io.stdout.columns)
    answer(io, { items, next: null }, items.length === 0 ? 'No gate is open.' : table)
    return undefined
  },
}

export const gateShow: Command = {
  path: 'gate show',
  isForAnyone: true,
  summary: 'Show a gate and everything that happened at it.',
  operands: '<id>',

  async run(io, args) {
    const postern = await io.open()
    const shown = await postern.gates.show({ id: args.operands[0] ?? '' })
    answer(io, { ...shown.gate, steps: shown.steps }, folded(io, renderGate(shown.gate, shown.steps)))
    return undefined
  },
}

export const gateCheck: Command = {
  path: 'gate check',
  isLasting: true,
  isForAnyone: true,
  summary: 'Look whether what a gate waits for has come; exit code 7 where it has not.',
  operands: '<id>',

  async run(io, args) {
    const postern = await io.open()
    const gate = await postern.gates.check({ id: args.operands[0] ?? '' })
    answer(io, gate, `${gate.id} is ${gate.state}.`)
    return gate.state === 'open' ? EXIT.gateOpen : EXIT.ok
  },
}

export const gateResolve: Command = {
  path: 'gate resolve',
  closes: 'resolve',
  summary: 'Resolve a gate so that its agent may go on.',
  operands: '<id>',
  options: [YOURSELF, { name: 'reason', value: '<text>', summary: 'why; the agent is told' }],
  examples: ['postern gate resolve gate_01J… --as justin --reason "Looks good"'],

  run: (io, args) => close(io, args, 'resolve'),
}

export const gateWaive: Command = {
  path: 'gate waive',
  closes: 'waive',
  summary: 'Let an agent go on although the condition is not met.',
  operands: '<id>',
  options: [YOURSELF, { name: 'reason', value: '<text>', summary: 'why; the agent is told' }],

  run: (io, args) => close(io, args, 'waive'),
}

async function close(io: Io, args: Args, verb: 'resolve' | 'waive'): Promise<undefined> {
  const postern = await io.open()
  const reason = args.get('reason') ?? (verb === 'resolve' ? 'it was resolved by hand' : 'it was waived')
  const gate = await postern.gates[verb]({ id: args.operands[0] ?? '', reason })
  answer(io, gate, `${capital(gate.state)}: ${gate.id}. ${gate.agent} is told.`)
}

const SESSION = { name: 'session', value: '<id>', summary: 'the session (default: the latest of your agent)' } as const

export const gateRegister: Command = {
  path: 'gate register',
  isAboutAgent: true,
  summary: 'Add a gate to one session.',
  operands: '<name>',
  options: [
    { ...AGENT, summary: 'whose latest session is meant' },
    SESSION,
    { name: 'hook', value: '<hook>', summary: 'stop (default), or tool' },
    { name: 'mode', value: '<mode>', summary: 'strict (default) holds, soft warns once' },
    { name: 'check', value: '<command>', summary: 'the command that must succeed; without one it is marked by hand' },
    { name: 'reason', value: '<text>', summary: 'what is shown to the agent' },
  ],
  examples: ['postern gate register tests-pass --agent quinn --mode strict --check "npm test"'],

  async run(io, args) {
    const postern = await io.open()
    const sessionId = await requireSession(gateRegister, io, args, postern)
    const [check, reason] = [args.get('check'), args.get('reason')]
    const gate = await postern.gates.register({
      sessionId,
      name: args.operands[0] ?? '',
      ...(args.has('hook') && { hook: parseGateHook(args.get('hook')) }),
      ...(args.has('mode') && { mode: parseGateMode(args.get('mode')) }),
      ...(check !== undefined && { check }),
      ...(reason !== undefined && { reason }),
    })
    answer(io, gate, `Registered: ${gate.name} (${gate.mode}) for session ${showField(gate.sessionId, 200)}.`)
    return undefined
  },
}

export const gateMark: Command = {
  path: 'gate mark',
  summary: 'Say that a session has done what one of its gates asks for.',
  operands: '<name>',
  options: [{ ...AGENT, summary: 'whose latest session is meant' }, SESSION],

  async run(io, args) {
    const postern = await io.open()
    const sessionId = await requireSession(gateMark, io, args, postern)
    const gate = await postern.gates.mark({ sessionId, name: args.operands[0] ?? '' })
    answer(io, gate, `Marked: ${gate.name} for session ${showField(gate.sessionId, 200)}.`)
    return undefined
  },
}

async function requireSession(command: Command, io: Io, args: Args, postern: Postern): Promise<string> {
  const named = args.get('session')
  if (named !== undefined) return named
  const agent = await requireOwnAgent(io, args, postern)
  const [latest] = await postern.sessions.list({ agent })
  if (latest) return latest.id
  throw usage(command, `${agent} has no session; name one with --session`)
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
