import type { PosternEvent } from '../../../model/network/event.ts'
import type { EventPage, ListEvents } from '../../../model/network/events.ts'
import type { Postern } from '../../../model/postern.ts'
import { showField } from '../../../render/terminal.ts'
import type { Args, Command, Io } from '../../shell/command.ts'
import { insist, printText, stayLean } from '../../shell/following.ts'
import { formatJsonLine } from '../../shell/json.ts'
import { numberIn } from '../../shell/numbers.ts'
import { answer } from '../../shell/print.ts'

const DEFAULT_LATEST = 20
const MAX_LINE = 1_000
const WAIT_MS = 60_000

export const events: Command = {
  path: 'events',
  isLasting: true,
  isAboutAgent: true,
  isForAnyone: true,
  summary: 'Tell what has happened, or what happens from now on.',
  options: [
    { name: 'follow', short: 'f', summary: 'go on with what happens, until you end it' },
    { name: 'after', value: '<cursor>', summary: 'only what came after this one' },
    { name: 'latest', value: '<n>', summary: 'begin so many before now (default 20; with --follow none)' },
    { name: 'types', value: '<types>', multiple: true, summary: 'only these, such as gate.*,message.created' },
    { name: 'agent', value: '<agent>', summary: 'only what concerns this agent' },
    { name: 'limit', value: '<n>', summary: 'at most so many (default 100)' },
  ],
  examples: ['postern events --latest 50', 'postern events --follow --types gate.*,decision.* --json'],

  async run(io, args) {
    const postern = await io.open()
    const page = await postern.events.list(wantedBy(args))
    if (args.has('follow')) await follow(io, postern, args, page)
    else answer(io, page, describePage(io, page))
    return undefined
  },
}

function wantedBy(args: Args): ListEvents {
  const [after, agent] = [args.get('after'), args.get('agent')]
  const types = args.all('types').flatMap((list) => list.split(','))
  const limit = numberIn(args, 'limit')
  const latest = numberIn(args, 'latest') ?? (args.has('follow') ? 0 : DEFAULT_LATEST)
  return {
    ...(after === undefined ? { latest } : { after }),
    ...(agent !== undefined && { agent }),
    ...(types.length > 0 && { types }),
    ...(limit !== undefined && { limit }),
  }
}

/** Ends where nobody takes the lines any more. */
async function follow(io: Io, postern: Postern, args: Args, first: EventPage): Promise<void> {
  stayLean()
  const { latest: _, ...wanted } = wantedBy(args)
  for (let page = first; ; ) {
    const lines = page.items.map((event) => (io.isJson ? formatJsonLine(event) : describe(event)))
    if (page.hasGap) lines.unshift(io.isJson ? formatJsonLine({ type: 'gap', cursor: page.cursor }) : EVENT_GAP)
    if (lines.length > 0 && !(await printText(`${lines.join('\n')}\n`))) return
    page = await insist(io, () => postern.events.wait({ ...wanted, after: page.cursor, timeoutMs: WAIT_MS }))
  }
}

export const EVENT_GAP = '(earlier events are not kept any more)'

function describePage(io: Io, { items, cursor, hasMore, hasGap }: EventPage): string {
  if (hasGap) io.stderr.line(EVENT_GAP)
  if (hasMore) io.stderr.line(`(there are more: --after ${cursor})`)
  return items.length === 0 ? 'Nothing has happened.' : items.map(describe).join('\n')
}

/** `2026-01-15T09:00:00.000Z  gate.opened  gate_01J…  quinn, justin  look first`. */
function describe({ at, type, subject, agents, data }: PosternEvent): string {
  const what = headlineOf(data as Readonly<Record<string, unknown>>)
  const parts = [new Date(at).toISOString(), type, subject, agents === null ? 'everybody' : agents.join(', '), what]
  return showField(parts.filter((part) => part !== '').join('  '), MAX_LINE)
}

function headlineOf(data: Readonly<Record<string, unknown>>): string {
  const { subject, reason, question, name, displayName, messages } = data
  const said = [subject, question, reason, name, displayName].find((each) => typeof each === 'string')
  return typeof said === 'string' ? said : Array.isArray(messages) ? messages.join(' ') : ''
}
