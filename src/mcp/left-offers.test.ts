import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openLocal } from '../../test/helpers/open-local.ts'
import { fastFolder } from '../../test/helpers/temp.ts'
import { processStart } from '../kit/node/processes.ts'
import { findEnding, formatProcess, parseProcess, settleLeftOffers } from './left-offers.ts'

async function prepare(count: number) {
  const { agents, inbox, close } = await openLocal(join(fastFolder(), 'postern.db'), { upkeep: false })
  onTestFinished(() => close())
  await agents.add({ id: 'quinn' })
  for (let at = 1; at <= count; at++) await inbox.push({ to: ['quinn'], content: `message ${at}` })
  return {
    inbox,
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

const processOf = (pid: number) => ({ pid, startedAt: processStart(pid) ?? expect.fail('there is no such process') })

describe('the ending of a client', () => {
  const client = processOf(process.pid)

  it('is in good order after a signal, whatever became of the client', async () => {
    expect(await findEnding({ isInGoodOrder: true, client: undefined })).toBe('inGoodOrder')
    expect(await findEnding({ isInGoodOrder: true, client })).toBe('inGoodOrder')
  })

  it('is that the client lives on where it outlives its server', async () => {
    expect(await findEnding({ isInGoodOrder: false, client })).toBe('clientLives')
  })

  it('is that the client is gone where it has ended, or another process has its pid', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' })
    const ended = processOf(child.pid ?? 0)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const reused = { ...client, startedAt: client.startedAt - 60_000 }
    for (const gone of [ended, reused, undefined]) {
      expect(await findEnding({ isInGoodOrder: false, client: gone })).toBe('gone')
    }
  })

  it('names the client in one word that parses back to the same process', () => {
    expect(parseProcess(formatProcess(client))).toEqual(client)
    for (const word of ['', '7', '7@', '@7', '7@8 ', 'x@8']) expect(parseProcess(word)).toBeUndefined()
  })
})

describe('offers that a killed server has left', () => {
  it('are confirmed after a good end, even if nobody recorded that they were printed', async () => {
    const { inbox, offer, states } = await prepare(2)
    const offers = [await offer(), await offer()]
    await inbox.printed({ offerId: offers[0] ?? '' })
    await settleLeftOffers(inbox, offers, 'inGoodOrder')
    expect(await states()).toEqual(['seen', 'seen'])
  })

  it('are confirmed where the client lives on', async () => {
    const { inbox, offer, states } = await prepare(1)
    await settleLeftOffers(inbox, [await offer()], 'clientLives')
    expect(await states()).toEqual(['seen'])
  })

  it('are released where the client is gone', async () => {
    const { inbox, offer, states } = await prepare(1)
    await settleLeftOffers(inbox, [await offer()], 'gone')
    expect(await states()).toEqual(['pending'])
  })

  it('stay as they are where somebody else has settled them', async () => {
    const { inbox, offer, states } = await prepare(3)
    const offers = [await offer(), await offer(), await offer()]
    await inbox.confirm({ offerId: offers[0] ?? '', evidence: 'the server itself', printed: true })
    await inbox.release({ offerId: offers[1] ?? '', reason: 'the client cancelled' })
    await settleLeftOffers(inbox, offers, 'inGoodOrder')
    expect(await states()).toEqual(['seen', 'pending', 'seen'])
    await settleLeftOffers(inbox, ['no-such-offer', ...offers], 'gone')
    expect(await states()).toEqual(['seen', 'pending', 'seen'])
  })
})
