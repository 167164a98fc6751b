import { expect, it } from 'vitest'
import type { Ledger, Subscribe } from '../../ledger/ledger.ts'
import { createHints } from './hints.ts'

/** The subscriptions that a ledger was asked for, by topic. */
function openHints() {
  const open = new Map<string, Subscribe>()
  const hinted: string[] = []
  const clock = { nowMs: 0 }
  const ledger = {
    subscribe(params: Subscribe) {
      open.set(params.topicId, params)
      return { close: () => void open.delete(params.topicId) }
    },
  } as Pick<Ledger, 'subscribe'> as Ledger
  const hints = createHints({ ledger, onHint: (id) => void hinted.push(id), nowMs: () => clock.nowMs })
  return { hints, open, hinted, clock }
}

const topics = (...ids: readonly string[]) => ids.map((id) => ({ id, after: 7 }))

it('subscribes to at most five topics, and ends the other subscriptions', () => {
  const { hints, open } = openHints()
  hints.follow(topics('a', 'b', 'c', 'd', 'e', 'f'))
  expect([...open.keys()]).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(open.get('a')).toMatchObject({ after: 7 })
  hints.follow(topics('f', 'a'))
  expect([...open.keys()].sort()).toEqual(['a', 'f'])
  hints.close()
  hints.close()
  expect(open.size).toBe(0)
})

it('hints at a topic for each entry and when a subscription ends, and subscribes again later', () => {
  const { hints, open, hinted, clock } = openHints()
  hints.follow(topics('a'))
  open.get('a')?.onEntry({} as never)
  open.get('a')?.onEnd('cut')
  expect(hinted).toEqual(['a', 'a'])
  open.clear()
  clock.nowMs = 14_999
  hints.follow(topics('a'))
  expect(open.size).toBe(0)
  clock.nowMs = 15_000
  hints.follow(topics('a'))
  expect([...open.keys()]).toEqual(['a'])
})
