import { describe, expect, it } from 'vitest'
import { hidePassword } from './passwords.ts'

describe('hidePassword', () => {
  const CASES: readonly [url: string, shown: string][] = [
    ['postgres://u:secret@h:5432/db', 'postgres://u:…@h:5432/db'],
    ['postgres://u:se/cret@h/db', 'postgres://u:…@h/db'],
    ['postgres://u:s@c:r@t@h/db', 'postgres://u:…@h/db'],
    ['postgres://h/db?password=secret&x=1', 'postgres://h/db?password=…&x=1'],
    ['postgres://u@h/db', 'postgres://u:…@h/db'],
    ['postgres://127.0.0.1:5432/db', 'postgres://127.0.0.1:5432/db'],
    ['redis://:secret@h:6379/0', 'redis://:…@h:6379/0'],
    ['nats://secret@h:4222', 'nats://…@h:4222'],
    ['nats://se/cret@h:4222', 'nats://…@h:4222'],
    ['nats://u:secret@h:4222,nats://u:secret@i:4222', 'nats://…@i:4222'],
    ['tls://h:4222', 'tls://h:4222'],
    ['/home/u/postern.db', '/home/u/postern.db'],
  ]

  it.each(CASES)('shows %s without what may be a password', (url, shown) => {
    expect(hidePassword(url)).toBe(shown)
    expect(hidePassword(url)).not.toContain('cret')
  })
})
