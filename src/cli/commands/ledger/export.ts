import type { ExportedProof } from '../../../host/ledger/proof.ts'
import type { Command } from '../../shell/command.ts'
import { answer, counted } from '../../shell/print.ts'
import { OWN_AGENT_OPTION } from './input.ts'
import { withLabel } from './shown.ts'

export const ledgerExport: Command = {
  path: 'ledger export',
  summary: 'Write a proof of a topic to a file, which "ledger verify" checks without this store.',
  operands: '<topic> <file>',
  options: [OWN_AGENT_OPTION],
  examples: ['postern ledger export task:PROJ-12 proof.jsonl && postern ledger verify proof.jsonl'],

  async run(io, args) {
    const [topic = '', path = ''] = args.operands
    const postern = await io.open()
    const { exportProof } = await import('../../../host/ledger/proof.ts')
    const proof = await exportProof({ desk: postern.ledger, topic, path })
    answer(io, proof, withLabel(describeExport(proof), proof.ledger))
    return undefined
  },
}

/** Elsewhere only what was listened to is held, and a proof of nothing is easily taken for one. */
export function describeExport({ ledger, entries, topic, path }: ExportedProof): readonly string[] {
  return [
    `Exported: ${counted(entries, 'entry', 'entries')} of ${topic} to ${path}`,
    ...(entries === 0 && ledger.kind !== 'local'
      ? ['Nothing of it is held here: let "postern serve" or "postern ledger listen" run, and export it again']
      : []),
  ]
}
