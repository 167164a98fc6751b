import type { LeaveItem, LeftItem } from '../../../model/handoff/handoff.ts'
import { parseItemPriority, parseItemType } from '../../../model/handoff/item.ts'
import { showField } from '../../../render/terminal.ts'
import type { Args, Command } from '../../shell/command.ts'
import { usage } from '../../shell/parse.ts'
import { answer, counted } from '../../shell/print.ts'
import { PLACE_OPTIONS, placeIn, sessionIn } from './place.ts'
import { FILE_OPTION, readText } from './text.ts'

const MAX_LINE = 1_000

export const handoffLeave: Command = {
  path: 'handoff leave',
  summary: 'Leave an item for the next session of a project.',
  operands: '[text]',
  options: [
    { name: 'type', value: '<type>', summary: 'learning, caution, context or thread' },
    { name: 'priority', value: '<priority>', summary: 'high, medium (default) or low' },
    FILE_OPTION,
    { name: 'session', value: '<id>', summary: 'the session that leaves it (default: yours, else date and branch)' },
    { name: 'to', value: '<agent>', summary: 'only for this agent, which is told by a message too' },
    { name: 'to-repo', value: '<name>', summary: 'only for this repository, through the inbox that they share' },
    { name: 'to-repos', summary: 'for whichever other repository comes first' },
    { name: 'in', value: '<duration>', summary: 'of a thread: remind the agent after a while, such as 2h' },
    { name: 'at', value: '<date>', summary: 'of a thread: remind the agent on a date with its zone' },
    { name: 'cron', value: '<fields>', summary: 'of a thread: remind the agent again and again' },
    { name: 'tz', value: '<zone>', summary: 'the zone of --cron, such as Europe/Berlin (default UTC)' },
    { name: 'gate', summary: 'of a thread: hold the agent until somebody has inherited it' },
    { name: 'agent', value: '<agent>', summary: 'your own agent' },
    ...PLACE_OPTIONS,
  ],
  examples: [
    'postern handoff leave --type learning --priority high "Refresh tokens must be rotated."',
    'git diff --stat | postern handoff leave --type context -',
    'postern handoff leave --type thread --in 2h "The migration is paused at step 3."',
  ],

  async run(io, args) {
    const input = { ...placeIn(args), ...readItem(args), text: withoutLastEnd(await readText(handoffLeave, args)) }
    const postern = await io.open()
    const left = await postern.handoff.leave({ ...input, ...(await sessionIn(args, postern)) })
    answer(io, left, describe(left))
    return undefined
  },
}

/** The end of the last line belongs to the file that it came from, not to what is said. */
function withoutLastEnd(text: string): string {
  return text.replace(/\r?\n$/, '')
}

const TIMES = ['in', 'at', 'cron'] as const

function readItem(args: Args): Omit<LeaveItem, 'project' | 'text'> {
  const type = args.get('type')
  if (type === undefined) throw usage(handoffLeave, '--type is missing: learning, caution, context or thread')
  const times = TIMES.filter((name) => args.has(name))
  if (times.length > 1) throw usage(handoffLeave, `A reminder has one time: --${times.join(' or --')}`)
  if (args.has('tz') && !args.has('cron')) throw usage(handoffLeave, '--tz goes with --cron')
  if (args.has('to-repo') && args.has('to-repos')) {
    throw usage(handoffLeave, '--to-repo and --to-repos exclude each other')
  }
  const toRepo = args.has('to-repos') ? true : args.get('to-repo')
  const to = args.get('to')
  return {
    type: parseItemType(type),
    ...(args.has('priority') && { priority: parseItemPriority(args.get('priority')) }),
    ...(to !== undefined && { to }),
    ...(toRepo !== undefined && { toRepo }),
    ...(times.length > 0 && { plan: readTime(args) }),
    ...(args.has('gate') && { gate: true }),
  }
}

function readTime(args: Args): NonNullable<LeaveItem['plan']> {
  const [runAfter, scheduledAt, cron, zone] = [args.get('in'), args.get('at'), args.get('cron'), args.get('tz')]
  return {
    ...(runAfter !== undefined && { runAfter }),
    ...(scheduledAt !== undefined && { scheduledAt }),
    ...(cron !== undefined && { cron }),
    ...(zone !== undefined && { zone }),
  }
}

function describe({ path, tokens, from_session, message, gate, plan }: LeftItem): string {
  const parts = [
    `${path} from ${from_session}`,
    `about ${counted(tokens, 'token')}`,
    ...(message === null ? [] : [`told by ${message}`]),
    ...(plan === null ? [] : [`reminded by ${plan}`]),
    ...(gate === null ? [] : [`held by ${gate}`]),
  ]
  return showField(`Left: ${parts.join(', ')}`, MAX_LINE)
}
