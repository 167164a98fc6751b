import { expect } from 'vitest'
import type { Postern } from '../../../src/model/postern.ts'
import { failing } from '../../helpers/store-with.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { caller, conformance, read, type World } from '../suite.ts'
import { asHusam, MEMBERS, mailOf, makeAlpha, saidIn, TEAM, wordsFor } from './alpha.ts'

const seqs = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

async function some(world: World, count: number): Promise<readonly Postern[]> {
  return Promise.all(Array.from({ length: count }, () => world.again()))
}

const speaker = (postern: Postern, id: string) => postern.as(caller(id, id === 'husam' ? 'human' : 'ai'))
const at = <T>(items: readonly T[], i: number) => items[i % items.length] as T

conformance('spaces under load', ({ rule, open }) => {
  rule('numbers twenty posts at once without gaps, in one order for all', async () => {
    verifies('S001.space.order')
    const world = await open({ agents: TEAM, limits: { pairBurst: 1_000 } })
    await makeAlpha(world.postern)
    const posterns = await some(world, 4)
    const posts = seqs(20).map((i) =>
      speaker(at(posterns, i), at(MEMBERS, i)).spaces.post({ id: 'alpha', content: `word ${i}` }),
    )
    const posted = await Promise.all(posts)
    expect(posted.map(({ post }) => post.seq).toSorted((a, b) => a - b)).toEqual(seqs(20))
    const { items } = await world.postern.spaces.history({ id: 'alpha' })
    expect(items.map(({ seq }) => seq)).toEqual(seqs(20))
    for (const agent of MEMBERS) {
      const heard = items.filter(({ from }) => from.id !== agent).map(({ content }) => content)
      expect(await wordsFor(world.postern, agent)).toEqual(heard)
      expect(await read(world.postern, { agent, maxMessages: 100, maxCharacters: 100_000 })).toEqual(heard)
    }
  })

  rule('shows every post once to whoever pages while others post', async () => {
    verifies('S001.space.history')
    const world = await open({ agents: TEAM, limits: { pairBurst: 1_000 } })
    await makeAlpha(world.postern)
    const posterns = await some(world, 3)
    let isOver = false
    const posts = seqs(40).map((i) =>
      speaker(at(posterns, i), at(MEMBERS, i)).spaces.post({ id: 'alpha', content: `word ${i}` }),
    )
    const all = Promise.all(posts).finally(() => {
      isOver = true
    })
    const shown: number[] = []
    for (let isLast = false; !isLast; ) {
      // Reading alone may never let the writers have their turn.
      await new Promise(setImmediate)
      isLast = isOver
      const { items } = await world.postern.spaces.history({ id: 'alpha', after: shown.at(-1) ?? 0, limit: 3 })
      shown.push(...items.map(({ seq }) => seq))
      if (items.length > 0) isLast = false
    }
    await all
    expect(shown).toEqual(seqs(40))
  })

  rule('makes one post of many at once under one key', async () => {
    verifies('S001.space.dedup')
    const world = await open({ agents: TEAM })
    await makeAlpha(world.postern)
    const posterns = await some(world, 4)
    const say = { id: 'alpha', content: 'Once', dedupKey: 'key' }
    const posted = await Promise.all(seqs(12).map((i) => asHusam(at(posterns, i)).spaces.post(say)))
    expect(new Set(posted.map(({ post }) => post.messageId)).size).toBe(1)
    expect(posted.filter(({ duplicate }) => !duplicate)).toHaveLength(1)
    expect(await wordsFor(world.postern, 'analyst')).toEqual(['Once'])
  })

  rule('is made once where many make it at once', async () => {
    verifies('S001.space.members')
    const world = await open({ agents: TEAM })
    const posterns = await some(world, 4)
    const made = await Promise.all(
      seqs(8).map((i) =>
        at(posterns, i).spaces.create({ id: 'alpha', name: 'Project Alpha', members: [at(MEMBERS, i)] }),
      ),
    )
    expect(new Set(made.map(({ createdAt }) => createdAt)).size).toBe(1)
    const { members } = await world.postern.spaces.show({ id: 'alpha' })
    expect(members.map(({ agent }) => agent)).toEqual([...MEMBERS])
  })

  rule('goes on while members come, go and are removed, and every post has a known end', async () => {
    verifies('S001.space.removed')
    const extra = seqs(6).map((i) => `agent-${i}`)
    const world = await open({ agents: [...TEAM, ...extra] })
    const { postern } = world
    await makeAlpha(postern)
    await asHusam(postern).spaces.create({ id: 'beta', members: [...extra, 'analyst'] })
    await asHusam(postern).spaces.create({ id: 'alpha', members: extra })
    const posterns = await some(world, 4)
    const posts = seqs(12).flatMap((i) =>
      ['alpha', 'beta'].map((id) => asHusam(at(posterns, i)).spaces.post({ id, content: `${id} ${i}` })),
    )
    const both = seqs(4).map((i) =>
      asHusam(at(posterns, i)).inbox.pushMany({
        messages: (i % 2 ? ['alpha', 'beta'] : ['beta', 'alpha']).map((id) => ({
          to: [`space:${id}`],
          content: `${id} both ${i}`,
        })),
      }),
    )
    const moves = extra.map((id, i) =>
      i % 2 ? at(posterns, i).agents.remove({ id }) : at(posterns, i).spaces.leave({ id: 'alpha', agent: id }),
    )
    await Promise.all([...posts, ...both, ...moves])
    for (const id of ['alpha', 'beta']) expect(await saidIn(postern, id)).toHaveLength(16)
    expect(await wordsFor(postern, 'analyst')).toHaveLength(32)
    const left = (await postern.spaces.show({ id: 'beta' })).members.map(({ agent }) => agent)
    expect(left).toEqual(['agent-1', 'agent-3', 'agent-5', 'analyst', 'husam'])
    for (const agent of extra.filter((_, i) => i % 2)) {
      const { items } = await postern.inbox.list({ which: 'all', limit: 1_000 })
      const states = items.filter((item) => item.agent === agent).map(({ state }) => state)
      expect(states.every((state) => state === 'cancelled')).toBe(true)
    }
  })

  rule('leaves nothing of a post where the store fails in the middle', async () => {
    verifies('S001.space.all-or-nothing')
    const world = await open({ agents: TEAM })
    const { postern } = world
    await makeAlpha(postern)
    const before = await postern.spaces.list()
    const broken = await world.again({ through: failing })
    const say = { id: 'alpha', content: 'Lost?', dedupKey: 'key' }
    await expect(asHusam(broken).spaces.post(say)).rejects.toThrow('the power is gone')
    expect(await postern.spaces.list()).toEqual(before)
    expect(await saidIn(postern, 'alpha')).toEqual([])
    expect(await mailOf(postern, 'analyst')).toEqual([])
    expect(await asHusam(postern).spaces.post(say)).toMatchObject({ duplicate: false, post: { seq: 1 } })
  })

  rule('wakes whoever waits for a post, and not its author', async () => {
    verifies('S001.space.fan-out')
    const world = await open({ agents: TEAM })
    await makeAlpha(world.postern)
    const other = await world.again()
    const waiting = world.postern.inbox.wait({ agent: 'analyst', timeoutMs: 60_000 })
    await asHusam(other).spaces.post({ id: 'alpha', content: 'Wake up' })
    expect(await waiting).toEqual({ pending: 1 })
    expect(await world.postern.inbox.wait({ agent: 'husam', timeoutMs: 0 })).toEqual({ pending: 0 })
  })
})
