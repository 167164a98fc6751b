import { showField } from '../../../render/terminal.ts'
import type { Command } from '../../shell/command.ts'
import { usage } from '../../shell/parse.ts'
import { answer } from '../../shell/print.ts'
import { formatTable } from '../../shell/table.ts'
import { ago } from '../../shell/times.ts'
import { PLACE_OPTIONS, placeIn, sessionIn } from './place.ts'
import { FILE_OPTION, readText } from './text.ts'

const MAX_LINE = 1_000

export const handoffOutboxWrite: Command = {
  path: 'handoff outbox write',
  summary: 'Write a file for consumers outside, such as a governance report.',
  operands: '[text]',
  options: [
    { name: 'kind', value: '<kind>', summary: 'governance-report, or another; the name of the file begins so' },
    { name: 'topic', value: '<text>', summary: 'what it is about; it becomes the title' },
    FILE_OPTION,
    { name: 'session', value: '<id>', summary: 'the session that writes it (default: yours, else date and branch)' },
    { name: 'agent', value: '<agent>', summary: 'your own agent' },
    ...PLACE_OPTIONS,
  ],
  examples: ['postern handoff outbox write --kind governance-report --topic "Rate limits" "Two endpoints have none."'],

  async run(io, args) {
    const [kind, topic] = [args.get('kind'), args.get('topic')]
    if (kind === undefined) throw usage(handoffOutboxWrite, '--kind is missing, such as governance-report')
    const text = await readText(handoffOutboxWrite, args)
    const postern = await io.open()
    const written = await postern.handoff.writeOut({
      ...placeIn(args),
      ...(await sessionIn(args, postern)),
      kind,
      text,
      ...(topic !== undefined && { topic }),
    })
    answer(io, written, showField(`Written: ${written.path}`, MAX_LINE))
    return undefined
  },
}

export const handoffOutboxList: Command = {
  path: 'handoff outbox list',
  isForAnyone: true,
  summary: 'List what lies in the outbox.',
  options: PLACE_OPTIONS,

  async run(io, args) {
    const postern = await io.open()
    const items = await postern.handoff.listOut(placeIn(args))
    const rows = items.map(({ bytes, at, name }) => [String(bytes), ago(at, io.now()), name])
    const table = formatTable(['BYTES', 'WRITTEN', 'NAME'], rows, io.stdout.columns)
    answer(io, { items, next: null }, items.length === 0 ? 'Nothing is there.' : table)
    return undefined
  },
}
