import { expect } from 'vitest'
import { createReplies } from '../../src/core/replies.ts'
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
