import { expect } from 'vitest'
import { createAnswerOnce, createReplies } from '../../src/core/replies.ts'
import type { Store } from '../../src/store/store.ts'
import { verifies } from '../scenarios/verifies.ts'
import { conformance, type Suite } from './suite.ts'

const REF = { caller: 'ai:quinn', key: 'k-1' }
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
  const replies = createReplies(store ?? expect.fail('nothing was opened'))
  const claim = (fingerprint = 'f', ref = REF) => replies.claim({ ...ref, fingerprint })
  return { ...world, replies, claim }
}

conformance('answers that are kept', ({ rule, open }) => {
  rule('are repeated to whoever asks the same again', async () => {
    verifies('S001.replies')
    const { replies, claim } = await openReplies(open)
    expect(await claim()).toBeUndefined()
    expect(await claim()).toEqual({ fingerprint: 'f', status: null, body: null })
    await replies.keep({ ...REF, ...ANSWER })
    expect(await claim()).toEqual({ fingerprint: 'f', ...ANSWER })
    expect(await claim('other')).toMatchObject({ fingerprint: 'f' })
    expect(await claim('f', { caller: 'ai:mindy', key: 'k-1' })).toBeUndefined()
  })

  rule('go to exactly one of many who ask at once', async () => {
    verifies('S001.replies')
    const { claim } = await openReplies(open)
    const claims = await Promise.all(Array.from({ length: 20 }, () => claim()))
    expect(claims.filter((claimed) => claimed === undefined)).toHaveLength(1)
  })

  rule('are made anew where the first attempt was given back, or came to nothing within a minute', async () => {
    verifies('S001.replies')
    const { replies, claim, advance } = await openReplies(open)
    await claim()
    await replies.drop(REF)
    expect(await claim()).toBeUndefined()
    advance(60_000)
    expect(await claim()).toMatchObject({ status: null })
    advance(1)
    expect(await claim('other')).toMatchObject({ fingerprint: 'f' })
    expect(await claim()).toBeUndefined()
    await replies.keep({ ...REF, ...ANSWER })
    advance(10 * 60_000)
    expect(await claim()).toMatchObject(ANSWER)
    await replies.drop(REF)
    expect(await claim()).toMatchObject(ANSWER)
  })

  rule('are forgotten after a day', async () => {
    verifies('S001.replies')
    const { replies, claim, advance, postern } = await openReplies(open)
    await claim()
    await replies.keep({ ...REF, ...ANSWER })
    advance(DAY_MS)
    await postern.upkeep.run()
    expect(await claim()).toMatchObject(ANSWER)
    advance(601_000)
    await postern.upkeep.run()
    expect(await claim('other')).toBeUndefined()
  })
})

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

  rule('runs again after it failed, and after an answer too long to store', async () => {
    const { ask, runs } = await asker()
    await expect(ask(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    const long = 'x'.repeat(1024 * 1024 + 1)
    expect(await ask(async () => long)).toBe(long)
    expect(await ask(async () => 'one')).toBe('one')
    expect(runs).toHaveLength(3)
  })
})
