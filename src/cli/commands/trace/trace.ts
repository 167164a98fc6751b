import type { DeliveryTrace } from '../../../model/receipt.ts'
import { showField } from '../../../render/terminal.ts'
import type { Command } from '../../shell/command.ts'
import { answer } from '../../shell/print.ts'
import { formatTable } from '../../shell/table.ts'

export const trace: Command = {
  path: 'trace',
  isForAnyone: true,
  summary: 'Show every step of a message, and why it has not been seen yet.',
  operands: '<id>',
  examples: ['postern trace msg_01J…'],

  async run(io, args) {
    const postern = await io.open()
    const traced = await postern.inbox.trace({ id: args.operands[0] ?? '' })
    const { message, deliveries, why } = traced
    const text = [
      showField(`${message.id} · ${message.type} · from ${message.from.id} to ${message.to.join(', ')}`, 400),
      ...deliveries.flatMap((delivery) => describe(delivery, io.stdout.columns)),
      showField(why, 2_000),
    ]
    answer(io, traced, text.join('\n'))
    return undefined
  },
}

function describe(delivery: DeliveryTrace, columns: number): string[] {
  const rows = delivery.steps.map((step) => [
    new Date(step.at).toISOString(),
    step.step,
    step.attempt === null ? '' : `attempt ${step.attempt}`,
    step.by ?? step.sessionId ?? '',
    step.evidence,
  ])
  const notes = [
    ...(delivery.leaseExpiresAt === null ? [] : [`  offered until ${new Date(delivery.leaseExpiresAt).toISOString()}`]),
    ...(delivery.rungAt === null ? [] : [`  rung at ${new Date(delivery.rungAt).toISOString()}`]),
  ]
  const table = formatTable(['TIME', 'STEP', 'ATTEMPT', 'BY', 'EVIDENCE'], rows, columns - 2)
  return [`${delivery.agent}: ${delivery.state}`, ...table.split('\n').map((line) => `  ${line}`), ...notes]
}
