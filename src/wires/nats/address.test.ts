import { expect, it } from 'vitest'
import { parseNatsUrl } from './address.ts'

it.each([
  ['nats://127.0.0.1', { servers: ['127.0.0.1'] }],
  ['nats://a:4222,nats://b:4223', { servers: ['a:4222', 'b:4223'] }],
  ['tls://nats.example:443', { servers: ['nats.example:443'], tls: {} }],
  ['nats://[::1]:4222', { servers: ['[::1]:4222'] }],
  ['nats://quinn:p%40ss@h:1', { servers: ['h:1'], user: 'quinn', pass: 'p@ss', inboxPrefix: '_INBOX_quinn' }],
  ['nats://quinn:50%@h:1', { servers: ['h:1'], user: 'quinn', pass: '50%' }],
  ['nats://s3cret@h:1', { servers: ['h:1'], token: 's3cret' }],
])('reads %s', (url, expected) => {
  expect(parseNatsUrl(url)).toMatchObject(expected)
})

it('has answers come to a place of each user', () => {
  expect(parseNatsUrl('nats://a.*:p@h').inboxPrefix).toBe('_INBOX_a=2e=2a')
  expect(parseNatsUrl('nats://t0ken@h').inboxPrefix).toBeUndefined()
})

it('shows neither a password nor a token', () => {
  expect(parseNatsUrl('nats://quinn:s3cret@h:1,tls://t0ken@i:2').shown).toBe('nats://h:1,tls://i:2')
})

it.each([
  '',
  'nats',
  'http://h',
  'redis://h',
  'nats://',
  'nats://h,',
  'nats://u:s3cret@h:99999',
])('refuses %j, and does not repeat it', (url) => {
  expect(() => parseNatsUrl(url)).toThrow('a NATS server is reached at')
})
