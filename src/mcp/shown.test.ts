import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openLocal } from '../../test/helpers/open-local.ts'
import { fastFolder } from '../../test/helpers/temp.ts'
import { createShown } from './shown.ts'

/** An inbox with messages, and what is shown of it through one connection. */
async function prepare(count: number) {
  const { agents, inbox, close } = await openLocal(join(fastFolder(), 'postern.db'), { upkeep: false })
  onTestFinished(() => close())
  await agents.add({ id: 'quinn' })
  for (let at = 1; at <= count; at++) await inbox.push({ to: ['quinn'], content: `message ${at}` })
  const shown = createShown(inbox)
  return {
    inbox,
    shown,
    async offer(): Promise<string> {
      const { offer } = await inbox.drain({ agent: 'quinn', maxMessages: 1 })
      return offer?.id ?? expect.fail('nothing was offered')
    },
    async states(): Promise<string[]> {
      const { items } = await inbox.list({ agent: 'quinn', which: 'all' })
      return items.map(({ state }) => state)
    },
  }
}

describe('what was shown through a connection', () => {
  it('is seen with the next call, and not before', async () => {
    const { shown, offer, states } = await prepare(2)
    await shown.settle(await offer(), true)
    expect(await states()).toEqual(['offered', 'pending'])
    await shown.confirm('the next call')
    expect(await states()).toEqual(['seen', 'pending'])
    await shown.confirm('one more')
    expect(await states()).toEqual(['seen', 'pending'])
  })

  it('is given back at once where it could not be sent', async () => {
    const { shown, offer, states } = await prepare(1)
    await shown.settle(await offer(), false)
    expect(await states()).toEqual(['pending'])
    await shown.confirm('the next call')
    expect(await states()).toEqual(['pending'])
  })

  it('is not confirmed while it is on its way', async () => {
    const { shown, offer, states } = await prepare(1)
    const offerId = await offer()
    await shown.confirm('a call that came before it was sent')
    expect(await states()).toEqual(['offered'])
    // Whoever calls now waits until what went out is written down.
    void shown.settle(offerId, true)
    await shown.confirm('the next call')
    expect(await states()).toEqual(['seen'])
  })

  it('is given back where nobody knows whether it arrived', async () => {
    const { shown, offer, states } = await prepare(3)
    for (let at = 0; at < 2; at++) await shown.settle(await offer(), true)
    await shown.release('the client is gone')
    expect(await states()).toEqual(['pending', 'pending', 'pending'])
  })

  it('may have been settled by somebody else, which keeps nobody from the rest', async () => {
    const { inbox, shown, offer, states } = await prepare(3)
    const offers = [await offer(), await offer(), await offer()]
    for (const offerId of offers) await shown.settle(offerId, true)
    await inbox.confirm({ offerId: offers[0] ?? '', evidence: 'a hook' })
    await inbox.release({ offerId: offers[1] ?? '', reason: 'it lapsed' })
    await shown.confirm('the next call')
    expect(await states()).toEqual(['seen', 'pending', 'seen'])
  })

  it('is confirmed once though calls come at once', async () => {
    const { shown, offer, states } = await prepare(2)
    for (let at = 0; at < 2; at++) await shown.settle(await offer(), true)
    await Promise.all(Array.from({ length: 5 }, () => shown.confirm('calls at once')))
    expect(await states()).toEqual(['seen', 'seen'])
  })

  it('stays noted where the store does not answer, until it does', async () => {
    const { inbox, offer, states } = await prepare(1)
    let isBroken = true
    const confirm: typeof inbox.confirm = async (input) => {
      if (isBroken) throw new Error('the store is away')
      return inbox.confirm(input)
    }
    const shown = createShown({ ...inbox, confirm })
    await shown.settle(await offer(), true)
    await expect(shown.confirm('the next call')).rejects.toThrow('the store is away')
    expect(await states()).toEqual(['offered'])
    isBroken = false
    await shown.confirm('one more')
    expect(await states()).toEqual(['seen'])
  })
})

/** A witness that does nothing. Tests replace the calls that they look at. */
const IDLE_WITNESS = { prepare: async () => {}, hold: () => {}, noteGoodOrder: () => {} }

describe('the witness of a connection', () => {
  it('is told of an offer before the store is, and forgets it once the store knows what became of it', async () => {
    const { inbox, offer } = await prepare(3)
    const told: string[] = []
    const names = new Map<string, string>()
    const noting =
      <I, O>(step: string, verb: (input: I) => Promise<O>) =>
      (input: I) => {
        told.push(step)
        return verb(input)
      }
    const shown = createShown(
      {
        printed: noting('printed', inbox.printed),
        confirm: noting('confirmed', inbox.confirm),
        release: noting('released', inbox.release),
      },
      { ...IDLE_WITNESS, hold: (ids) => told.push(`holds ${ids.map((id) => names.get(id)).join(' ')}`) },
    )
    const offers = [await offer(), await offer(), await offer()]
    offers.forEach((id, at) => {
      names.set(id, `${at + 1}`)
    })
    const [first = '', second = '', third = ''] = offers
    await shown.settle(first, true)
    await shown.settle(second, true)
    await shown.settle(third, false)
    expect(told.splice(0)).toEqual(['holds 1', 'printed', 'holds 1 2', 'printed', 'released'])
    await shown.lose(first)
    expect(told.splice(0)).toEqual(['holds 2', 'released'])
    await shown.confirm('the next call')
    expect(told.splice(0)).toEqual(['confirmed', 'holds '])
  })

  it('forgets an offer that the store could not be told of', async () => {
    const { inbox, offer } = await prepare(1)
    const lists: (readonly string[])[] = []
    const printed = async () => Promise.reject(new Error('the store is away'))
    const shown = createShown({ ...inbox, printed }, { ...IDLE_WITNESS, hold: (ids) => lists.push(ids) })
    const offerId = await offer()
    await expect(shown.settle(offerId, true)).rejects.toThrow('the store is away')
    expect(lists).toEqual([[offerId], []])
  })
})
