import { describe, expect, it } from 'vitest'
import type { Context, Ledgers } from '../../core/context.ts'
import { keepLedger } from './kept-ledger.ts'

function contextWith(ledger: () => Promise<Ledgers>): Context {
  return { ledger } as Partial<Context> as Context
}

describe('a ledger that is kept', () => {
  it('is opened once, and closed where it was opened', async () => {
    let [opened, closed] = [0, 0]
    const ledgers = { ledger: { close: async () => void closed++ } } as unknown as Ledgers
    const { ctx, closeLedger } = keepLedger(
      contextWith(async () => {
        opened++
        return ledgers
      }),
    )
    expect(await ctx.ledger()).toBe(await ctx.ledger())
    await closeLedger()
    expect([opened, closed]).toEqual([1, 1])
  })

  it('is not opened to be closed', async () => {
    const { closeLedger } = keepLedger(contextWith(() => expect.unreachable()))
    await closeLedger()
  })

  it('can be closed where it could not be opened', async () => {
    const { ctx, closeLedger } = keepLedger(contextWith(() => Promise.reject(new Error('broken'))))
    await expect(ctx.ledger()).rejects.toThrow('broken')
    await closeLedger()
  })
})
