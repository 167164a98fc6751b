import { describe, expect, it } from 'vitest'
import { PosternError } from '../model/errors.ts'
import { insist } from './offer.ts'

const busy = () => new PosternError('STORE_BUSY', { path: 'x', waited: '5s' })

/** Insists on a call that fails so many times first, and says how often it was made. */
async function tryOn(failures: number, { error = busy(), signal = new AbortController().signal } = {}) {
  let tries = 0
  const call = async () => {
    tries += 1
    if (tries <= failures) throw error
  }
  const outcome = await insist(call, { sleep: async () => {}, random: () => 0.5, signal }).catch(({ code }) => code)
  return { tries, outcome }
}

describe('insisting', () => {
  it('goes on for as long as the store is away', async () => {
    expect(await tryOn(100)).toEqual({ tries: 101, outcome: undefined })
  })

  it('gives up after a while where it is to end', async () => {
    const signal = AbortSignal.abort()
    expect(await tryOn(5, { signal })).toEqual({ tries: 6, outcome: undefined })
    expect(await tryOn(100, { signal })).toEqual({ tries: 8, outcome: 'STORE_BUSY' })
  })

  it('does not repeat what will fail in the same way, nor mind an offer that is gone', async () => {
    expect(await tryOn(100, { error: new PosternError('NOT_ALLOWED', { message: 'No.', next: 'Stop.' }) })).toEqual({
      tries: 1,
      outcome: 'NOT_ALLOWED',
    })
    const gone = new PosternError('OFFER_NOT_FOUND', { id: 'off_1' })
    expect(await tryOn(100, { error: gone })).toEqual({ tries: 1, outcome: undefined })
  })
})
