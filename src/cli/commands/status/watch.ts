import type { PosternEvent } from '../../../model/network/event.ts'
import { showField } from '../../../render/terminal.ts'
import type { Command } from '../../shell/command.ts'
import { insist, printText, stayLean } from '../../shell/following.ts'
import { formatJsonLine } from '../../shell/json.ts'
import { EVENT_GAP } from '../events/events.ts'
import { describeEvent } from './sentences.ts'

const BEFORE = 10
const WAIT_MS = 60_000
const MAX_LINE = 1_000
const TYPE_COLUMNS = 19

export const watch: Command = {
  path: 'watch',
  isLasting: true,
  isAboutAgent: true,
  isForAnyone: true,
  summary: 'Tell in words what happens, line by line, until you end it.',
  options: [{ name: 'agent', value: '<agent>', summary: 'only what concerns this agent' }],
  examples: ['postern watch', 'postern watch --agent quinn --json'],

  async run(io, args) {
    stayLean()
    const postern = await io.open()
    const agent = args.get('agent')
    const wanted = agent === undefined ? {} : { agent }
    const width = io.stdout.isTerminal ? io.stdout.columns : MAX_LINE
    const format = (event: PosternEvent) => (io.isJson ? formatJsonLine(event) : formatLine(event, width))
    for (let page = await postern.events.list({ ...wanted, latest: BEFORE }); ; ) {
      const lines = page.items.map(format)
      if (page.hasGap) lines.unshift(io.isJson ? formatJsonLine({ type: 'gap', cursor: page.cursor }) : EVENT_GAP)
      if (lines.length > 0 && !(await printText(`${lines.join('\n')}\n`))) return undefined
      page = await insist(io, () => postern.events.wait({ ...wanted, after: page.cursor, timeoutMs: WAIT_MS }))
    }
  },
}

/** `09:12:04  gate.opened  quinn is held: look first`. */
function formatLine(event: PosternEvent, width: number): string {
  const time = new Date(event.at).toTimeString().slice(0, 8)
  return showField(`${time}  ${event.type.padEnd(TYPE_COLUMNS)}  ${describeEvent(event)}`, width)
}
