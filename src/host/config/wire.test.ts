import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { type ConfigSources, readConfig } from './config.ts'
import { findWireUrl, parseWireUrl, WIRE } from './wire.ts'

function homeWith(wire?: unknown) {
  const home = temporaryFolder()
  if (wire !== undefined) writeFileSync(join(home, 'config.json'), JSON.stringify({ wire }))
  return {
    home,
    read: (env: ConfigSources['env'] = {}, flags: ConfigSources['flags'] = {}) =>
      readConfig({ flags: { home, ...flags }, env, cwd: home }),
  }
}

describe('the settings of a wire', () => {
  it('name no wire by default', () => {
    expect(homeWith().read().get(WIRE)).toEqual({ url: null, redisOut: [], redisOutMax: 1_000, nudge: [] })
  })

  it('come from a flag, else the environment, else a file', () => {
    const { read } = homeWith({ url: 'nats://file', redisOut: ['quinn'], nudge: ['pod:80', '[::1]:80'] })
    expect(read().get(WIRE)).toMatchObject({ url: 'nats://file', redisOut: ['quinn'] })
    expect(read({ POSTERN_WIRE: '' }).get(WIRE).url).toBe('nats://file')
    const env = { POSTERN_WIRE: 'nats://env' }
    expect(read(env).get(WIRE).url).toBe('nats://env')
    const config = read(env, { wire: 'redis://flag' })
    expect(config.get(WIRE)).toMatchObject({ url: 'redis://flag', nudge: ['pod:80', '[::1]:80'] })
    expect(config.written.find('wire', 'url', WIRE.settings.url)?.origin).toBe('--wire')
  })

  it.each([
    { url: 7 },
    { redisOut: 'quinn' },
    { redisOut: ['../x'] },
    { redisOutMax: 0 },
    { redisOutMax: 1.5 },
    { nudge: ['http://pod:80'] },
    { nudge: ['pod'] },
    { other: 1 },
    { __lookupGetter__: 'x' },
  ])('are refused as %j, with the file and the setting', (wire) => {
    const { home, read } = homeWith(wire)
    const [name] = Object.keys(wire)
    expect(() => read().get(WIRE)).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        details: { path: join(home, 'config.json'), reason: expect.stringContaining(`"wire.${name}"`) },
      }),
    )
  })

  it('do not come from a project that is not trusted', () => {
    const { home, read } = homeWith()
    writeFileSync(join(home, 'postern.config.json'), JSON.stringify({ wire: { url: 'nats://elsewhere' } }))
    expect(read().get(WIRE).url).toBeNull()
  })
})

describe('the URL of a wire', () => {
  it.each([
    ['nats://h', 'nats'],
    ['nats://u:p@h:4222', 'nats'],
    ['nats://a:1,nats://b:2', 'nats'],
    ['tls://h:4222', 'nats'],
    ['redis://h/3', 'redis'],
    ['rediss://:p@h', 'redis'],
  ])('%s names an engine', (url, engine) => {
    expect(parseWireUrl(url)).toBe(engine)
  })

  it.each([
    '',
    'nats',
    'nats://',
    'http://h',
    'redis://a,redis://b',
    'nats://a,redis://b',
    'nats://u:p@h:port',
  ])('%j is refused', (url) => {
    expect(() => parseWireUrl(url)).toThrow(expect.objectContaining({ code: 'WIRE_URL_INVALID' }))
  })

  it('is never shown with a password when it is refused', () => {
    for (const url of ['amqp://u:secret@h', 'nats://secret@', 'redis://:secret@a,redis://b']) {
      expect(() => parseWireUrl(url)).toThrow(
        expect.not.objectContaining({ message: expect.stringContaining('secret') }),
      )
    }
  })
})

describe('the wire of a home that runs NATS itself', () => {
  function withFile(text: string, mode = 0o600) {
    const { home, read } = homeWith()
    mkdirSync(join(home, 'nats'))
    const path = join(home, 'nats', 'url')
    writeFileSync(path, text)
    chmodSync(path, mode)
    return { home, path, read }
  }

  it('is found if no other wire is set', () => {
    const { read } = withFile('nats://t@127.0.0.1:4\n')
    expect(findWireUrl(read())).toBe('nats://t@127.0.0.1:4')
    expect(findWireUrl(read({ POSTERN_WIRE: 'redis://h' }))).toBe('redis://h')
    expect(findWireUrl(homeWith().read())).toBeNull()
  })

  it('is read only from a plain file that nobody else can read', () => {
    expect(findWireUrl(withFile('nats://t@h', 0o644).read())).toBeNull()
    expect(findWireUrl(withFile('http://h').read())).toBeNull()
    const { path } = withFile('nats://t@h')
    const { home, read } = homeWith()
    mkdirSync(join(home, 'nats'))
    symlinkSync(path, join(home, 'nats', 'url'))
    expect(findWireUrl(read())).toBeNull()
  })
})
