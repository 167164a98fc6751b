import { expect, it } from 'vitest'
import type { LedgerLabel } from '../../../model/ledger/ledgers.ts'
import { describeExport } from './export.ts'

const LOCAL = { kind: 'local', network: 'local', public_consensus: false } as const
const ELSEWHERE = { kind: 'hedera', network: 'testnet', public_consensus: true } as const

it('an export says how much it holds, and where nothing of a topic was listened to', () => {
  const proof = (ledger: LedgerLabel, entries: number) => ({
    ledger,
    path: 'p.jsonl',
    topic: '0.0.7',
    entries,
    runningHash: '',
  })
  expect(describeExport(proof(LOCAL, 0))).toEqual(['Exported: 0 entries of 0.0.7 to p.jsonl'])
  expect(describeExport(proof(ELSEWHERE, 1))).toEqual(['Exported: 1 entry of 0.0.7 to p.jsonl'])
  expect(describeExport(proof(ELSEWHERE, 0))[1]).toContain('Nothing of it is held here')
})
