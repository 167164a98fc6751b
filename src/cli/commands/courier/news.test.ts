import { expect, it } from 'vitest'
import { describeNews } from './news.ts'

it('says what a courier has to say in words, and passes on what others have to say as it is', () => {
  expect(describeNews('courier.started', { agent: 'quinn', wire: 'nats://127.0.0.1:4222' })).toBe(
    'the courier of quinn listens to nats://127.0.0.1:4222',
  )
  expect(describeNews('courier.nudge', { to: '127.0.0.1:7777', reason: 'ECONNREFUSED' })).toBe(
    '127.0.0.1:7777 could not be nudged: ECONNREFUSED',
  )
  expect(describeNews('wire.lost', { wire: 'nats', error: 'gone' })).toBe('wire.lost, wire nats, error gone')
})
