import { parseInstant } from '../../../kit/pure/instant.ts'
import { PosternError } from '../../../model/errors.ts'
import type { Args, Command, Io } from '../../shell/command.ts'
import { requireOwnAgent } from '../../shell/own-agent.ts'
import { usage } from '../../shell/parse.ts'
import { answer } from '../../shell/print.ts'
import { requireDuration } from '../../shell/times.ts'

export const inboxSnooze: Command = {
  path: 'inbox snooze',
  summary: 'Put messages off until a time, or take them up again.',
  operands: '<id…>',
  options: [
    { name: 'agent', value: '<agent>', aliases: ['bead'], summary: 'whose inbox (default: your own)' },
    { name: 'until', value: '<time>', summary: 'when they come back, such as 2026-12-01T09:00Z' },
    { name: 'for', value: '<duration>', summary: 'how long they stay away, such as 2h' },
    { name: 'undo', summary: 'take them up again now' },
  ],
  examples: [
    'postern inbox snooze --agent quinn --for 2h msg_01J…',
    'postern inbox snooze --agent quinn --undo msg_01J…',
  ],

  async run(io, args) {
    const untilAt = timeOf(io, args)
    const postern = await io.open()
    const agent = await requireOwnAgent(io, args, postern)
    const snoozed = await postern.inbox.snooze({ agent, ids: args.operands, untilAt })
    const until = untilAt === null ? '' : ` until ${new Date(untilAt).toISOString()}`
    answer(io, { snoozed, untilAt }, snoozed.map(({ id, state }) => `${id} ${state}${until}`).join('\n'))
    return undefined
  },
}

/** Null for now. */
function timeOf(io: Io, args: Args): number | null {
  const [until, duration] = [args.get('until'), args.get('for')]
  const given = [until, duration, args.has('undo') || undefined].filter((each) => each !== undefined)
  if (given.length !== 1) throw usage(inboxSnooze, 'Give exactly one of --until, --for and --undo')
  if (duration !== undefined) return io.now() + requireDuration(duration)
  return until === undefined ? null : parseTime(until)
}

function parseTime(text: string): number {
  const at = parseInstant(text)
  if (typeof at === 'number') return at
  throw new PosternError('VALUE_INVALID', {
    field: 'time',
    value: text,
    next: 'Write it as ISO 8601 with a zone, such as 2026-12-01T09:00Z, or use "--for".',
  })
}
