import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { connect } from '@nats-io/transport-node'
import { describe, expect, it, onTestFinished } from 'vitest'
import { configWith } from '../../../test/helpers/config-with.ts'
import { needsPrograms } from '../../../test/helpers/needs.ts'
import { createSignal } from '../../../test/helpers/signal.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { findWireUrl } from '../../host/config/wire.ts'
import { openNatsServer } from '../../host/serving/nats-server.ts'
import { PosternError } from '../../model/errors.ts'
import { type NatsServerOptions, startNatsServer } from './nats-server.ts'

async function start(home: string, options: Partial<NatsServerOptions> = {}) {
  const server = await openNatsServer({ home, note: () => {}, ...options })
  onTestFinished(() => server.close())
  return server
}

/** The options of the driver for a URL. */
function login(url: string) {
  const { host, username, password } = new URL(url)
  return { servers: host, user: username, pass: password, reconnect: false }
}

async function ask(url: string): Promise<string> {
  const connection = await connect(login(url))
  const { version } = connection.info ?? {}
  await connection.close()
  return version ?? ''
}

/** Retries until the server answers, for a server that is just starting. */
async function askUntilUp(url: string): Promise<string> {
  for (;;) {
    const version = await ask(url).catch(() => undefined)
    if (version !== undefined) return version
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe('a NATS server of a home', needsPrograms('nats-server'), () => {
  it('answers only clients that know its URL, which only the owner can read', async () => {
    const home = temporaryFolder()
    const server = await start(home)
    expect(await ask(server.url)).toMatch(/^2\./)
    await expect(connect({ servers: new URL(server.url).host, reconnect: false })).rejects.toThrow(/authorization/i)
    for (const file of ['url', 'token', 'server.conf']) {
      expect(statSync(join(home, 'nats', file)).mode & 0o777).toBe(0o600)
    }
    expect(findWireUrl(configWith({}, home))).toBe(server.url)
  })

  it('ends when it is closed, and removes the file that names it', async () => {
    const home = temporaryFolder()
    const server = await start(home)
    await server.close()
    await server.close()
    await expect(ask(server.url)).rejects.toThrow()
    expect(existsSync(join(home, 'nats', 'url'))).toBe(false)
  })

  it('has the same URL in the next run', async () => {
    const home = temporaryFolder()
    const first = await start(home)
    await first.close()
    const second = await start(home)
    expect(second.url).toBe(first.url)
    expect(await ask(second.url)).toMatch(/^2\./)
  })

  it('is restarted when it dies', async () => {
    const home = temporaryFolder()
    const ended = createSignal<string>()
    const server = await start(home, { note: (event) => ended.fire(event) })
    process.kill(Number(readFileSync(join(home, 'nats', 'pid'), 'utf8')), 'SIGKILL')
    expect(await ended.fired).toBe('nats-server.ended')
    expect(await askUntilUp(server.url)).toMatch(/^2\./)
  })

  it('is restarted once when it is woken after it died, and left alone while it runs', async () => {
    const home = temporaryFolder()
    const ended = createSignal<string>()
    const server = await start(home, { note: (event) => ended.fire(event) })
    const pid = () => readFileSync(join(home, 'nats', 'pid'), 'utf8')
    const before = pid()
    server.wake()
    process.kill(Number(before), 'SIGKILL')
    await ended.fired
    server.wake()
    await askUntilUp(server.url)
    const after = pid()
    server.wake()
    await ask(server.url)
    expect(after).not.toBe(before)
    expect([pid(), ended.values]).toEqual([after, ['nats-server.ended']])
  })

  it('ends with the process that started it, even if that is killed', async () => {
    const home = temporaryFolder()
    const program = `const { openNatsServer } = await import(${JSON.stringify(join(import.meta.dirname, '../../host/serving/nats-server.ts'))})
      await openNatsServer({ home: process.argv[1], note: () => {} })
      console.log('started')`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, home], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    const url = readFileSync(join(home, 'nats', 'url'), 'utf8').trim()
    expect(await ask(url)).toMatch(/^2\./)
    child.kill('SIGKILL')
    // The lock is released when the orphan has ended, so this waits for exactly that and takes its place.
    const next = await start(home)
    expect(next.url).toBe(url)
    expect(await ask(next.url)).toMatch(/^2\./)
  })

  it('refuses a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    await expect(start(temporaryFolder(), { port })).rejects.toMatchObject({
      code: 'NATS_SERVER_FAILED',
      details: { reason: `port ${port} is taken` },
    })
  })
})

it('names the folders that it searched for the program', async () => {
  const folder = temporaryFolder()
  const started = startNatsServer({ home: temporaryFolder(), note: () => {}, folders: [folder] })
  await expect(started).rejects.toBeInstanceOf(PosternError)
  await expect(started).rejects.toMatchObject({
    code: 'NATS_SERVER_MISSING',
    details: { reason: `not in ${folder}` },
  })
})
