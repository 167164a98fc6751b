import { describe, expect, it } from 'vitest'
import { MAX_CHUNKS } from '../../model/ledger/entry.ts'
import { parseTransaction } from '../protocol/names.ts'
import { createTransactionNames } from './transaction-names.ts'

const NOW = 1_713_898_880_739

function nanosOf(name: string): bigint {
  return BigInt(parseTransaction(name).validStart.replace('.', ''))
}

describe('names of transactions', () => {
  it('are never given twice, even where dice repeat themselves', () => {
    let rolled = 0
    const name = createTransactionNames({ now: () => NOW, random: () => (Math.floor(rolled++ / 2) % 997) / 997 })
    const names = Array.from({ length: 400 }, () => name('0.0.2'))
    expect(new Set(names).size).toBe(400)
  })

  it('leave room for the chunks of a message', () => {
    const name = createTransactionNames({ now: () => NOW, random: Math.random })
    const times = Array.from({ length: 500 }, () => nanosOf(name('0.0.2'))).sort((a, b) => (a < b ? -1 : 1))
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0n))
    expect(gaps.every((gap) => gap >= BigInt(MAX_CHUNKS))).toBe(true)
  })

  it('lie a little in the past, but not long', () => {
    for (const random of [() => 0, () => 0.999_999_999]) {
      const at = Number(nanosOf(createTransactionNames({ now: () => NOW, random })('0.0.2')) / 1_000_000n)
      expect(NOW - at).toBeGreaterThanOrEqual(5_000)
      expect(NOW - at).toBeLessThanOrEqual(8_001)
    }
  })
})
