import { expect } from 'vitest'
import { fenceStore } from '../../src/core/fenced-store.ts'
import { createAnswerOnce, createReplies, type Replies } from '../../src/core/replies.ts'
import { PosternError } from '../../src/model/errors.ts'
import { DEFAULT_LIMITS } from '../../src/model/limits.ts'
import type { ReplyClaim } from '../../src/model/network/replies.ts'
import type { Store } from '../../src/store/store.ts'
import { verifies } from '../scenarios/verifies.ts'
import { conformance, type Suite } from './suite.ts'

const REF = { caller: 'ai:quinn', key: 'k-1' }
const MINE = { ...REF, taken: expect.any(Number), outcome: null }
const ANSWER = { status: 201, body: '{"id":"gate_1"}' }
const DAY_MS = 24 * 3_600_000

async function openReplies(open: Suite['open']) {
  let store: Store | undefined
  const world = await open({
    through: (opened) => {
      store = opened
      return opened
    },
  })
  const replies = createReplies(store ?? expect.fail('nothing was opened'), DEFAULT_LIMITS)
  const claim = (fingerprint = 'f', ref = REF) => replies.claim({ ...ref, fingerprint })
  return { ...world, store: store ?? expect.fail('nothing was opened'), replies, claim }
}

conformance('answers that are kept', ({ rule, open }) => {
  rule('are repeated to whoever asks the same again', async () => {
    verifies('S001.replies')
    const { replies, claim } = await openReplies(open)
    const first = await mine(claim())
    expect(first).toEqual(MINE)
    expect(await claim()).toMatchObject({ fingerprint: 'f', status: null, body: null })
    await replies.keep({ ...first, ...ANSWER })
    expect(await claim()).toMatchObject({ fingerprint: 'f', ...ANSWER })
    expect(await claim('other')).toMatchObject({ fingerprint: 'f' })
    expect(await claim('f', { caller: 'ai:mindy', key: 'k-1' })).toMatchObject({ outcome: null })
  })

  rule('go to exactly one of many who ask at once', async () => {
    verifies('S001.replies')
    const { claim } = await openReplies(open)
    const claims = await Promise.all(Array.from({ length: 20 }, () => claim()))
    expect(claims.filter((claimed) => 'taken' in claimed)).toHaveLength(1)
  })

  rule('are made anew where the first attempt was given back, or came to nothing within two minutes', async () => {
    verifies('S001.replies')
    const { replies, claim, advance } = await openReplies(open)
    await replies.drop(await mine(claim()))
    const dead = await mine(claim())
    advance(120_000)
    expect(await claim()).toMatchObject({ status: null })
    advance(1)
    expect(await claim('other')).toMatchObject({ fingerprint: 'f' })
    const next = await mine(claim())
    expect(next.taken).toBeGreaterThan(dead.taken)
    await replies.keep({ ...next, ...ANSWER })
    advance(10 * 60_000)
    expect(await claim()).toMatchObject(ANSWER)
    await replies.drop(next)
    expect(await claim()).toMatchObject(ANSWER)
  })

  rule('are forgotten after a day', async () => {
    verifies('S001.replies')
    const { replies, claim, advance, postern } = await openReplies(open)
    await replies.keep({ ...(await mine(claim())), ...ANSWER })
    advance(DAY_MS)
    await postern.upkeep.run()
    expect(await claim()).toMatchObject(ANSWER)
    advance(601_000)
    await postern.upkeep.run()
    expect(await claim('other')).toEqual(MINE)
  })
})

conformance('the store of a request under a key', ({ rule, open }) => {
  const ANSWERS = { an: 'object', of: [1, null, 'two', { three: true }] }
  const ASK = { ...REF, fingerprint: 'f' }
  const CHANGE = { answers: ['gates.create', 'gates.register'] } as const

  rule('repeats the outcome of a change that was committed, and runs everything else again', async () => {
    verifies('S001.replies')
    const { store, replies } = await openReplies(open)
    const runs: string[] = []
    const run = (fenced: Store) =>
      Promise.all([
        fenced.transact(async () => void runs.push('due before')),
        fenced.transact(async () => ANSWERS, CHANGE),
        fenced.transact(async () => void runs.push('of another operation'), { answers: ['gates.waive'] }),
      ])
    const first = await mine(replies.claim(ASK))
    expect(await run(fenceStore(store, first, 'gates.create'))).toEqual([undefined, ANSWERS, undefined])
    await replies.release(first)
    const again = await mine(replies.claim(ASK))
    const repeated = fenceStore(store, again, 'gates.create')
    expect(await repeated.transact<unknown>(async () => expect.fail('it ran again'), CHANGE)).toEqual(ANSWERS)
    await repeated.transact(async () => void runs.push('due after'))
    expect(runs.toSorted()).toEqual(['due after', 'due before', 'of another operation'])
    await replies.keep({ ...again, ...ANSWER })
    expect(await replies.claim(ASK)).toMatchObject(ANSWER)
  })

  rule('says that an answer is lost which no record can hold', async () => {
    verifies('S001.replies')
    const { store, replies } = await openReplies(open)
    const answers = { map: new Map([['a', 1]]), long: 'x'.repeat(1024 * 1024), number: Number.NaN, holes: [undefined] }
    for (const [key, answer] of Object.entries(answers)) {
      const ask = { caller: 'ai:quinn', key, fingerprint: 'f' }
      const claim = await mine(replies.claim(ask))
      const change = fenceStore(store, claim, 'gates.create').transact<unknown>(async () => answer, CHANGE)
      expect(await change).toBe(answer)
      await replies.release(claim)
      const again = fenceStore(store, await mine(replies.claim(ask)), 'gates.create')
      await expect(again.transact(async () => expect.fail('it ran again'), CHANGE)).rejects.toMatchObject({
        code: 'IDEMPOTENCY_LOST',
        details: { key },
      })
    }
  })

  rule('rolls back the change of a request whose claim is gone, though the key was given back since', async () => {
    verifies('S001.replies')
    const { store, replies, advance, postern } = await openReplies(open)
    const slow = fenceStore(store, await mine(replies.claim(ASK)), 'gates.create')
    advance(121_000)
    await replies.release(await mine(replies.claim(ASK)))
    advance(1)
    await mine(replies.claim(ASK))
    const agent = await postern.agents.add({ id: 'quinn' })
    const late = { ...agent, displayName: 'Too late', skeleton: 'too late' }
    const rename = slow.transact((tx) => tx.agents.update(late), CHANGE)
    await expect(rename).rejects.toMatchObject({ code: 'IDEMPOTENCY_BUSY' })
    expect((await postern.agents.show({ id: 'quinn' })).displayName).toBe(agent.displayName)
  })
})

async function mine(claiming: ReturnType<Replies['claim']>): Promise<ReplyClaim> {
  const claimed = await claiming
  return 'taken' in claimed ? claimed : expect.fail('the key belongs to another request')
}

conformance('a request under a key', ({ rule, open }) => {
  const asker = async () => {
    const { replies } = await openReplies(open)
    const answerOnce = createAnswerOnce(replies)
    const runs: string[] = []
    const unstored: unknown[] = []
    const ask = (outcome: () => Promise<string>, fingerprint = 'f') =>
      answerOnce<string>({
        ...REF,
        fingerprint,
        async answer() {
          runs.push(fingerprint)
          return outcome()
        },
        toStored: (body) => ({ status: 200, body }),
        fromStored: ({ body }) => `stored ${body}`,
        onUnstored: (error) => void unstored.push(error),
      })
    return { ask, runs, unstored }
  }

  rule('runs once and gets its stored answer afterwards', async () => {
    verifies('S001.replies')
    const { ask, runs, unstored } = await asker()
    expect(await ask(async () => 'one')).toBe('one')
    expect(await ask(async () => 'two')).toBe('stored one')
    await expect(ask(async () => 'three', 'other')).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' })
    expect({ runs, unstored }).toEqual({ runs: ['f'], unstored: [] })
  })

  rule('is told that the first one is still running', async () => {
    const { ask } = await asker()
    const { promise, resolve } = Promise.withResolvers<string>()
    const begun = Promise.withResolvers<void>()
    const first = ask(() => {
      begun.resolve()
      return promise
    })
    await begun.promise
    await expect(ask(async () => 'two')).rejects.toMatchObject({ code: 'IDEMPOTENCY_BUSY' })
    resolve('one')
    expect(await first).toBe('one')
  })

  rule('is told that its answer is lost if its repetition is refused', async () => {
    verifies('S001.replies')
    const { store, replies } = await openReplies(open)
    const ask = (answer: (fenced: Store) => Promise<string>) =>
      createAnswerOnce(replies)<string>({
        ...REF,
        fingerprint: 'f',
        answer: (claim) => answer(fenceStore(store, claim, 'gates.create')),
        toStored: (body) => ({ status: 200, body }),
        fromStored: ({ body }) => body,
        onUnstored: (error) => expect.fail(String(error)),
      })
    const unanswered = ask(async (fenced) => {
      await fenced.transact(async () => 'done', { answers: ['gates.create'] })
      throw new Error('the process is out of memory')
    })
    await expect(unanswered).rejects.toThrow('out of memory')
    const refusal = new PosternError('AGENT_EXISTS', { id: 'quinn' })
    for (const error of [refusal, refusal, new TypeError('x is undefined')]) {
      await expect(ask(() => Promise.reject(error))).rejects.toMatchObject({ code: 'IDEMPOTENCY_LOST' })
    }
    const again = (fenced: Store) => fenced.transact(async () => 'again', { answers: ['gates.create'] })
    expect(await ask(again)).toBe('done')
  })

  rule('runs again after it failed, and after an answer too long to store', async () => {
    const { ask, runs } = await asker()
    await expect(ask(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    const long = 'x'.repeat(1024 * 1024 + 1)
    expect(await ask(async () => long)).toBe(long)
    expect(await ask(async () => 'one')).toBe('one')
    expect(runs).toHaveLength(3)
  })
})
