import type { Command } from '../../shell/command.ts'
import { answer } from '../../shell/print.ts'
import { describePosted } from '../note/note.ts'
import { jsonIn, OWN_AGENT_OPTION } from './input.ts'
import { publishOwn } from './publishing.ts'
import { withLabel } from './shown.ts'

export const ledgerEmit: Command = {
  path: 'ledger emit',
  summary: 'Say on the topic of a work item what has happened to it; those of the routing table are told.',
  operands: '<topic> <type> [subject]',
  options: [{ name: 'payload', value: '<json>', summary: 'structured content' }, OWN_AGENT_OPTION],
  examples: [
    'postern ledger emit task:PROJ-12 task.blocked "No runner is free"',
    'postern ledger emit 0.0.1005 phase.complete',
  ],

  async run(io, args) {
    const [topic = '', type = '', subject] = args.operands
    const payload = jsonIn(ledgerEmit, args, 'payload')
    const postern = await io.open()
    const posted = await postern.ledger.emit({
      topic,
      type,
      ...(subject !== undefined && { subject }),
      ...(payload !== undefined && { payload }),
    })
    answer(io, posted, withLabel(describePosted(posted), posted.ledger))
    await publishOwn(io, posted.ledger)
    return undefined
  },
}
