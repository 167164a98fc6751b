import type { CreateDecision } from '../../../model/decisions.ts'
import { parseGateMode } from '../../../model/gate.ts'
import { renderDecision } from '../../../render/decision.ts'
import type { Args, Command } from '../../shell/command.ts'
import { ownAgent } from '../../shell/own-agent.ts'
import { usage } from '../../shell/parse.ts'
import { answer, folded } from '../../shell/print.ts'
import { formatTable } from '../../shell/table.ts'
import { requireDuration } from '../../shell/times.ts'

const DEFAULT_AWAIT = '10m'
const YOURSELF = { name: 'agent', value: '<agent>', aliases: ['bead'], summary: 'your own agent' } as const

export const decisionCreate: Command = {
  path: 'decision create',
  summary: 'Ask a person, and be held until they answer.',
  operands: '<question>',
  options: [
    { name: 'agent', value: '<agent>', aliases: ['bead'], summary: 'who asks (default: yourself)' },
    {
      name: 'ask',
      value: '<person>',
      multiple: true,
      summary: 'who is asked (default: the owners, else everybody human)',
    },
    { name: 'option', value: '<key=label>', multiple: true, summary: 'a possible answer; repeat it' },
    { name: 'describe', value: '<key=text>', multiple: true, summary: 'more about an option' },
    { name: 'context', value: '<text>', summary: 'what one must know to answer' },
    { name: 'default', value: '<key>', summary: 'the option that is taken when the deadline is over' },
    { name: 'deadline', value: '<duration>', summary: 'how long there is to answer' },
    { name: 'allow-text', summary: 'an answer may be text instead of an option' },
    { name: 'mode', value: '<mode>', summary: 'strict (default) holds the asker, soft warns once' },
  ],
  examples: ['postern decision create --agent quinn --ask justin --option a=Postgres --option b=SQLite "Which store?"'],

  async run(io, args) {
    const input = readQuestion(args)
    const postern = await io.open()
    const agent = await ownAgent(io, args, postern)
    const decision = await postern.decisions.create({ ...input, ...(agent !== undefined && { agent }) })
    const { id, asked } = decision
    answer(io, decision, `Asked: ${id} to ${asked.join(', ')}. Wait for it with "postern decision await ${id}".`)
    return undefined
  },
}

function readQuestion(args: Args): CreateDecision {
  const descriptions = new Map(args.all('describe').map((text) => pair('describe', text)))
  const options = args.all('option').map((text) => {
    const [key, label] = pair('option', text)
    const description = descriptions.get(key)
    return { key, label, ...(description !== undefined && { description }) }
  })
  const stray = [...descriptions.keys()].find((key) => !options.some((option) => option.key === key))
  if (stray !== undefined) throw usage(decisionCreate, `--describe names ${stray}, which is no option`)
  const ask = args.all('ask').flatMap((names) => names.split(','))
  const [context, defaultOption, deadline] = [args.get('context'), args.get('default'), args.get('deadline')]
  return {
    question: args.operands[0] ?? '',
    ...(options.length > 0 && { options }),
    ...(ask.length > 0 && { ask }),
    ...(context !== undefined && { context }),
    ...(defaultOption !== undefined && { defaultOption }),
    ...(deadline !== undefined && { deadlineMs: requireDuration(deadline) }),
    ...(args.has('allow-text') && { allowsText: true }),
    ...(args.has('mode') && { mode: parseGateMode(args.get('mode')) }),
  }
}

function pair(name: string, text: string): readonly [string, string] {
  const at = text.indexOf('=')
  if (at <= 0) throw usage(decisionCreate, `--${name} takes <key>=<text>`)
  return [text.slice(0, at), text.slice(at + 1)]
}

export const decisionList: Command = {
  path: 'decision list',
  isForAnyone: true,
  summary: 'List the questions that are open.',
  options: [
    { name: 'agent', value: '<agent>', aliases: ['bead'], summary: 'only those of one agent' },
    { name: 'concerning', value: '<agent>', summary: 'only questions that this agent or person asked or was asked' },
    { name: 'all', summary: 'also those that have ended' },
  ],

  async run(io, args) {
    const postern = await io.open()
    const [agent, concerning] = [args.get('agent'), args.get('concerning')]
    const of = { ...(agent !== undefined && { agent }), ...(concerning !== undefined && { concerning }) }
    const items = await postern.decisions.list({ ...of, all: args.has('all') })
    const rows = items.map(({ id, agent: asker, state, asked, question }) => [
      id,
      asker,
      state,
      asked.join(', '),
      question,
    ])
    const table = formatTable(['ID', 'ASKER', 'STATE', 'ASKED', 'QUESTION'], rows, io.stdout.columns)
    answer(io, { items, next: null }, items.length === 0 ? 'No question is open.' : table)
    return undefined
  },
}

export const decisionShow: Command = {
  path: 'decision show',
  isForAnyone: true,
  summary: 'Show a question, its options and its answer.',
  operands: '<id>',

  async run(io, args) {
    const postern = await io.open()
    const decision = await postern.decisions.show({ id: args.operands[0] ?? '' })
    answer(io, decision, folded(io, renderDecision(decision)))
    return undefined
  },
}

export const decisionRespond: Command = {
  path: 'decision respond',
  closes: 'respond',
  summary: 'Answer a question; the first answer wins.',
  operands: '<id>',
  options: [
    YOURSELF,
    { name: 'select', value: '<key>', summary: 'the option' },
    { name: 'text', value: '<text>', summary: 'what you say with it, or instead where that is allowed' },
  ],
  examples: ['postern decision respond dec_01J… --as justin --select a --text "We have it already"'],

  async run(io, args) {
    const postern = await io.open()
    const [select, text] = [args.get('select'), args.get('text')]
    const decision = await postern.decisions.respond({
      id: args.operands[0] ?? '',
      ...(select !== undefined && { select }),
      ...(text !== undefined && { text }),
    })
    answer(io, decision, `Answered: ${decision.id}. ${decision.agent} is told.`)
    return undefined
  },
}

export const decisionAwait: Command = {
  path: 'decision await',
  isLasting: true,
  isForAnyone: true,
  summary: 'Sleep until a question is answered.',
  operands: '<id>',
  options: [{ name: 'timeout', value: '<duration>', summary: `how long (default ${DEFAULT_AWAIT})` }],

  async run(io, args) {
    const timeoutMs = requireDuration(args.get('timeout') ?? DEFAULT_AWAIT)
    const postern = await io.open()
    const decision = await postern.decisions.await({ id: args.operands[0] ?? '', timeoutMs })
    answer(io, decision, folded(io, renderDecision(decision)))
    return undefined
  },
}

export const decisionCancel: Command = {
  path: 'decision cancel',
  closes: 'cancel',
  summary: 'Take a question back; its gate is waived.',
  operands: '<id>',
  options: [YOURSELF, { name: 'reason', value: '<text>', summary: 'why' }],

  async run(io, args) {
    const postern = await io.open()
    const reason = args.get('reason')
    const decision = await postern.decisions.cancel({
      id: args.operands[0] ?? '',
      ...(reason !== undefined && { reason }),
    })
    answer(io, decision, `Cancelled: ${decision.id}.`)
    return undefined
  },
}

/** Kept so that old hook settings do no harm: answers come by the inbox now. */
export const decisionCheck: Command = {
  path: 'decision check',
  isForAnyone: true,
  summary: 'Retired: answers come by the inbox. Prints a note and injects nothing.',
  options: [{ name: 'inject', summary: 'accepted, and does nothing' }],

  async run(io) {
    io.stderr.line(
      'postern: "decision check --inject" is retired: answers reach the agent through its inbox. Remove it from your hooks; "postern init" installs ours.',
    )
    if (io.isJson) answer(io, { deprecated: true }, '')
    return undefined
  },
}
