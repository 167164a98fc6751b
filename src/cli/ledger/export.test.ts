import { expect, it } from 'vitest'
import { describeExport } from './export.ts'

const LOCAL = { kind: 'local', network: 'local', public_consensus: false } as const
const ELSEWHERE = { kind: 'hedera', network: 'testnet', public_consensus: true } as const

it('an export says how much it holds, and where nothing of a topic was listened to', () => {
  const proof = (entries: number) => ({ path: 'p.jsonl', topic: '0.0.7', entries, runningHash: '' })
  expect(describeExport(LOCAL, proof(0))).toEqual(['Exported: 0 entries of 0.0.7 to p.jsonl'])
  expect(describeExport(ELSEWHERE, proof(1))).toEqual(['Exported: 1 entry of 0.0.7 to p.jsonl'])
  expect(describeExport(ELSEWHERE, proof(0))[1]).toContain('Nothing of it is held here')
})
