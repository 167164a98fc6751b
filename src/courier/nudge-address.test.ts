import { describe, expect, it } from 'vitest'
import { parseNudgeUrl, requireNudgeable } from './nudge-address.ts'

const LISTED = ['agent.internal:7777', '10.0.0.5:80', '169.254.169.254:80']

describe('the address of a wrapped agent', () => {
  it('is on this machine, or is listed with its port', () => {
    const good = {
      'http://127.0.0.1:7777': { host: '127.0.0.1', port: 7777, authority: '127.0.0.1:7777' },
      'http://[::1]:7777/api/v1/agent/nudge': { host: '::1', authority: '[::1]:7777' },
      'http://localhost:7777/': { host: 'localhost', isListed: false },
      'http://agent.internal:7777': { host: 'agent.internal', isListed: true },
      'http://10.0.0.5': { host: '10.0.0.5', port: 80, isListed: true },
      'https://127.0.0.1': { isSecure: true, port: 443 },
    }
    for (const [url, target] of Object.entries(good)) expect(parseNudgeUrl(url, LISTED), url).toMatchObject(target)
  })

  it('is refused if it is neither, or only looks like one', () => {
    const bad = [
      'http://169.254.169.254',
      'http://example.com:7777',
      'http://agent.internal:7778',
      'http://[::ffff:127.0.0.1]:7777',
      'http://[0:0:0:0:0:0:0:1]:7777',
      'http://0x7f.1:7777',
      'http://127.1:7777',
      'http://2130706433:7777',
      'http://0.0.0.0:7777',
      'http://[::]:7777',
      'http://127.0.0.1.example.com:7777',
      'http://localhost.example.com:7777',
      'http://127.0.0.1:7777@example.com',
      'http://user:secret@127.0.0.1:7777',
      'http://127.0.0.1:7777/other',
      'http://127.0.0.1:0',
      'http://127.0.0.1:7777/api/v1/agent/nudge?x=1',
      'http://127.0.0.1:7777\\@example.com',
      'http:127.0.0.1:7777',
      'ftp://127.0.0.1',
      'file:///etc/passwd',
      '127.0.0.1:7777',
      '',
    ]
    for (const url of bad) expect(() => parseNudgeUrl(url, ['agent.internal:7777']), url).toThrow(/nudge/)
  })
})

describe('the resolved address of a name', () => {
  it('must be on this machine if the name is not listed', () => {
    const target = parseNudgeUrl('http://localhost:7777', [])
    expect(requireNudgeable('127.0.0.1', target)).toBe('127.0.0.1')
    for (const address of ['10.0.0.5', '169.254.169.254', '::ffff:10.0.0.5', '0.0.0.0', '::', 'fe80::1']) {
      expect(() => requireNudgeable(address, target), address).toThrow('localhost:7777')
    }
  })

  it('is never link-local, multicast, unspecified or a metadata service, even if the name is listed', () => {
    const target = parseNudgeUrl('http://agent.internal:7777', LISTED)
    expect(requireNudgeable('10.0.0.5', target)).toBe('10.0.0.5')
    expect(requireNudgeable('fd00::5', target)).toBe('fd00::5')
    const never = [
      '169.254.169.254',
      '0.0.0.0',
      '224.0.0.1',
      '255.255.255.255',
      '::',
      'fe80::1',
      'ff02::1',
      'fd00:ec2::254',
    ]
    const disguised = ['::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '::169.254.169.254', '64:ff9b::a9fe:a9fe']
    for (const address of [...never, ...disguised, 'agent.internal', ''])
      expect(() => requireNudgeable(address, target), address).toThrow('never nudged')
  })
})
