import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { openLocal } from '../../host/open-local.ts'
import { PosternError } from '../../model/errors.ts'
import { describeMail, type Watch, watchSession } from './watch.ts'

const HOUR_MS = 60 * 60_000

/** A store with the agent quinn, and a watch whose sleep only moves its own clock. */
async function makeWatch(about: Partial<Watch> = {}) {
  const postern = await openLocal(join(temporaryFolder(), 'postern.db'), { upkeep: false })
  onTestFinished(() => postern.close())
  await postern.agents.add({ id: 'quinn' })
  let now = Date.now()
  const slept: number[] = []
  const watch: Watch = {
    postern,
    agent: 'quinn',
    sessionId: 's',
    endsAt: now + HOUR_MS,
    isStoreThere: () => true,
    now: () => now,
    async sleep(ms) {
      slept.push(ms)
      now += ms
    },
    ...about,
  }
  const begin = () => postern.sessions.note({ id: 's', agent: 'quinn', host: 'claude-code', event: 'session.start' })
  return { postern, watch, slept, begin, at: () => now }
}

describe('a watch', () => {
  it('waits some seconds for a session whose first hook has not made it known yet', async () => {
    const { watch, slept, begin, postern } = await makeWatch()
    await postern.inbox.push({ to: ['quinn'], content: 'hello' })
    const sleep = async (ms: number) => {
      await watch.sleep(ms)
      if (slept.length === 3) await begin()
    }
    expect(await watchSession({ ...watch, sleep })).toMatchObject({ pending: 1, session: { id: 's' } })
  })

  it('is over where the session never comes', async () => {
    const { watch, slept } = await makeWatch()
    expect(await watchSession(watch)).toBeUndefined()
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBe(10_000)
  })

  it('is over when its time has come, or its store is gone', async () => {
    const { watch, begin, at, postern } = await makeWatch()
    await begin()
    await postern.inbox.push({ to: ['quinn'], content: 'hello' })
    expect(await watchSession({ ...watch, endsAt: at() })).toBeUndefined()
    expect(await watchSession({ ...watch, isStoreThere: () => false })).toBeUndefined()
  })

  it('goes on where the store is only busy, for a minute', async () => {
    const { watch, begin, slept, postern } = await makeWatch()
    await begin()
    await postern.inbox.push({ to: ['quinn'], content: 'hello' })
    let failures = 29
    const failing = (error: PosternError): Watch['postern'] => ({
      ...postern,
      sessions: {
        async list(input) {
          if (failures-- > 0) throw error
          return postern.sessions.list(input)
        },
      },
    })
    const busy = failing(new PosternError('STORE_BUSY', { path: 'x', waited: '5s' }))
    expect(await watchSession({ ...watch, postern: busy })).toMatchObject({ pending: 1 })
    expect(slept.filter((ms) => ms === 2_000)).toHaveLength(29)
    failures = 30
    expect(await watchSession({ ...watch, postern: busy })).toBeUndefined()
    failures = 1
    const corrupt = failing(new PosternError('STORE_CORRUPT', { path: 'x' }))
    expect(await watchSession({ ...watch, postern: corrupt })).toBeUndefined()
  })
})

it('the words that wake say how many and for whom, and nothing else', () => {
  expect(describeMail('quinn', 1)).toBe('Postern: 1 message waits for quinn and is shown with this prompt.')
  expect(describeMail('quinn', 2)).toBe('Postern: 2 messages wait for quinn and are shown with this prompt.')
})
