import { expect, it } from 'vitest'
import type { LedgerEntry } from '../../../model/ledger/entry.ts'
import type { LedgerTopic } from '../../../model/ledger/topic.ts'
import type { Shelves } from '../../../store/store.ts'
import { assemble } from './assemble.ts'

const PAYER = '0.0.7'

function part(sequence: number, number: number, text: string): LedgerEntry {
  return {
    topicId: '0.0.1002',
    sequence,
    consensusAt: `1700000000.00000000${sequence}`,
    payer: PAYER,
    message: Buffer.from(text).toString('base64'),
    chunk: { transaction: `${PAYER}@1700000000.000000000`, number, total: 3 },
    runningHash: '',
  }
}

it('reads the parts of a message once, however often somebody repeats one of them', async () => {
  const entries = [part(1, 2, 'b'), part(2, 2, 'x'), part(3, 2, 'y'), part(4, 1, 'a'), part(5, 3, 'c'), part(6, 3, 'z')]
  let reads = 0
  const chunksOf = async () => {
    reads++
    return entries
  }
  const tx = { ledger: { chunksOf } } as unknown as Shelves
  const topic = { id: '0.0.1002' } as LedgerTopic
  const known = new Map()
  const found = []
  for (const entry of entries) found.push(await assemble(tx, topic, entry, known))
  expect(found.flatMap((each, at) => ('whole' in each ? [[at, each.whole.text]] : []))).toEqual([[4, 'abc']])
  expect(reads).toBe(1)
})
