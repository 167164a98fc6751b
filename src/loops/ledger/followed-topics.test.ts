import { describe, expect, it } from 'vitest'
import { FollowedTopics } from './followed-topics.ts'

const NOTHING = { entries: 0, trouble: null }
const SOMETHING = { entries: 3, trouble: null }

function follow(...ids: readonly string[]): FollowedTopics {
  const topics = new FollowedTopics()
  topics.refresh(new Set(ids), 0)
  return topics
}

function only(topics: FollowedTopics, nowMs: number) {
  return topics.due(nowMs)[0] ?? expect.fail('nothing is due')
}

describe('followed topics', () => {
  it('are read often while entries come, and at least every 15 s', () => {
    const topics = follow('0.0.1')
    let nowMs = 0
    const waits: number[] = []
    for (const found of [SOMETHING, NOTHING, ...Array(10).fill(NOTHING), SOMETHING]) {
      topics.recordRead(only(topics, nowMs), found, nowMs)
      waits.push(topics.nextDueMs() - nowMs)
      nowMs = topics.nextDueMs()
    }
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000, 15_000, 15_000, 15_000, 250])
  })

  it('are due as soon as there is a hint', () => {
    const topics = follow('0.0.1', '0.0.2')
    for (const topic of topics.due(0)) topics.recordRead(topic, NOTHING, 0)
    expect(topics.due(10)).toEqual([])
    topics.hint('0.0.2', 10)
    topics.hint('0.0.3', 10)
    expect(topics.due(10).map(({ id }) => id)).toEqual(['0.0.2'])
  })

  it('are all due after hintAll', () => {
    const topics = follow('0.0.1', '0.0.2')
    for (const topic of topics.due(0)) topics.recordRead(topic, NOTHING, 0)
    topics.hintAll(10)
    expect(topics.due(10).map(({ id }) => id)).toEqual(['0.0.1', '0.0.2'])
  })

  it('are read rarely if their hashes do not match, even after a hint', () => {
    const topics = follow('0.0.1')
    topics.recordRead(only(topics, 0), { entries: 0, trouble: 'broken' }, 0)
    topics.hint('0.0.1', 60_000)
    expect(topics.due(60_000)).toEqual([])
    expect(topics.troubled).toEqual([{ topic: '0.0.1', trouble: 'broken' }])
    topics.recordRead(only(topics, 300_000), NOTHING, 300_000)
    expect(topics.troubled).toEqual([])
  })

  it('are added and removed by a refresh, and the others keep their times', () => {
    const topics = follow('0.0.1', '0.0.2')
    for (const topic of topics.due(0)) topics.recordRead(topic, topic.id === '0.0.2' ? SOMETHING : NOTHING, 5)
    topics.refresh(new Set(['0.0.2', '0.0.3']), 10)
    expect(topics.size).toBe(2)
    expect(topics.due(10).map(({ id }) => id)).toEqual(['0.0.3'])
    expect(topics.busiest(1).map(({ id }) => id)).toEqual(['0.0.2'])
  })
})
