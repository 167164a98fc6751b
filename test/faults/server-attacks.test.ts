import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ServeProcess, startServe } from '../helpers/http-server.ts'
import { PATIENTLY } from '../helpers/patience.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { FULL } from '../helpers/tier.ts'
import { verifies } from '../scenarios/verifies.ts'
import { cliCommand } from './harness/cli.ts'
import { figures } from './harness/need.ts'

const MIB = 1024 * 1024
/** What an attack may cost beyond what the server needs anyway. */
const ROOM = 96 * MIB

async function open(executable = cliCommand([]).at(-1) ?? ''): Promise<ServeProcess> {
  const server = await startServe({ home: temporaryFolder(), executable })
  await server.ask('POST /api/v1/agents', { body: { id: 'quinn' } })
  return server
}

function residentBytes({ pid }: ServeProcess): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

/** A connection that says what it is told, and hears what comes. */
function dial({ url }: ServeProcess): Socket & { heard: string } {
  const { hostname, port } = new URL(url)
  const socket = Object.assign(connect(Number(port), hostname), { heard: '' })
  socket.on('data', (chunk) => {
    socket.heard += chunk.toString('latin1')
  })
  // That the server hangs up is what is expected of it.
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  return socket
}

/** Unlike `once` it does not mind how. */
const hungUp = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))

const head = (server: ServeProcess, ...lines: string[]) =>
  [
    'POST /api/v1/inbox HTTP/1.1',
    `Host: ${new URL(server.url).host}`,
    `Authorization: Bearer ${server.token}`,
    'Content-Type: application/json',
    ...lines,
    '',
    '',
  ].join('\r\n')

/** Writes for as long as the other side takes it, until it hangs up or there is no more. */
async function pour(socket: Socket, chunk: Buffer, bytes: number): Promise<number> {
  let sent = 0
  let isOpen = true
  const closed = hungUp(socket).then(() => {
    isOpen = false
  })
  while (isOpen && sent < bytes) {
    sent += chunk.length
    if (!socket.write(chunk)) await Promise.race([once(socket, 'drain').catch(() => {}), closed])
  }
  await closed
  return sent
}

async function expectServed(server: ServeProcess): Promise<void> {
  const pushed = await server.ask('POST /api/v1/inbox', { body: { to: ['quinn'], content: 'still here' } })
  expect(pushed).toMatchObject({ status: 201 })
}

describe('a stranger', () => {
  it('learns nothing and changes nothing without a token', async () => {
    verifies('G16.token')
    const server = await open()
    const wrong = `pst_${'A'.repeat(43)}`
    const routes = ['GET /api/v1/agents', 'GET /api/v1/inbox?which=all', 'GET /metrics', 'POST /api/v1/tickets']
    for (const token of [null, wrong, '', server.token.slice(0, -1), `${server.token}A`]) {
      for (const route of routes) expect([401, 429]).toContain((await server.ask(route, { token })).status)
      const push = await server.ask('POST /api/v1/inbox', { token, body: { to: ['quinn'], content: 'x' } })
      expect([401, 429]).toContain(push.status)
    }
    expect((await server.ask('GET /api/v1/inbox?which=all')).body.items).toEqual([])
    expect(server.stderr()).not.toContain(server.token.slice(0, 20))
  })

  it('cannot use a browser for it', async () => {
    verifies('G16.origin')
    const server = await open()
    const text = '{"to":["quinn"],"content":"forged"}'
    const forged: Record<string, string>[] = [
      { host: 'evil.example' },
      { host: `rebound.example:${new URL(server.url).port}` },
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      // What a form or an image can send without asking first.
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'multipart/form-data; boundary=x' },
    ]
    for (const headers of forged) {
      const { status } = await server.ask('POST /api/v1/inbox', { text, headers })
      expect([403, 415], JSON.stringify(headers)).toContain(status)
    }
    const preflight = await server.ask('OPTIONS /api/v1/inbox', { headers: { origin: 'http://evil.example' } })
    expect(preflight.status).toBe(403)
    expect(Object.keys(preflight.headers).join()).not.toContain('access-control')
    expect((await server.ask('GET /api/v1/inbox?which=all')).body.items).toEqual([])
  })
})

describe('too much', () => {
  it('in one body is refused before it is taken in, whether it was announced or not', async () => {
    verifies('G16.bounded')
    const server = await open()
    const before = residentBytes(server)
    const chunk = Buffer.alloc(64 * 1024, 'x')
    const announced = dial(server)
    announced.write(head(server, `Content-Length: ${300 * MIB}`))
    const endless = dial(server)
    endless.write(head(server, 'Transfer-Encoding: chunked'))
    const framed = Buffer.concat([Buffer.from('10000\r\n'), chunk, Buffer.from('\r\n')])
    const [sent, chunked] = await Promise.all([
      pour(announced, chunk, 300 * MIB),
      pour(endless, framed, Number.POSITIVE_INFINITY),
      expectServed(server),
    ])
    for (const { heard } of [announced, endless]) expect(heard).toMatch(/^HTTP\/1\.1 413 [\s\S]*BODY_TOO_LARGE/)
    const grown = residentBytes(server) - before
    figures('bodies', `cut off after ${sent / MIB} and ${chunked / MIB} MiB; ${grown / MIB} MiB more`)
    expect(grown).toBeLessThan(ROOM)
    await expectServed(server)
  })

  it('in depth is refused, and leaves everybody else alone', async () => {
    verifies('G16.bounded')
    const server = await open()
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const bodies = [deep, `{"to":["quinn"],"content":"x","payload":${deep}}`, '{"a":'.repeat(40_000)]
    for (const text of bodies) {
      expect(await server.ask('POST /api/v1/inbox', { text })).toMatchObject({
        status: 400,
        body: { code: 'BODY_INVALID' },
      })
      const trigger = await server.ask('POST /api/agents/quinn/trigger', { text, headers: { 'x-secret-key': 'sk_x' } })
      expect(trigger.status).toBeLessThan(500)
    }
    const polluted = '{"__proto__":{"polluted":1},"to":["quinn"],"content":"x"}'
    expect(await server.ask('POST /api/v1/inbox', { text: polluted })).toMatchObject({ status: 422 })
    const inside = '{"to":["quinn"],"content":"x","payload":{"__proto__":{"polluted":1}}}'
    expect(await server.ask('POST /api/v1/inbox', { text: inside })).toMatchObject({ status: 201 })
    await expectServed(server)
  })

  it('in the head is refused, and so is what is no request', async () => {
    verifies('G16.bounded')
    const server = await open()
    const lines: [said: string, heard: RegExp][] = [
      [head(server, `X-Long: ${'x'.repeat(20_000)}`), /^HTTP\/1\.1 431 /],
      ['\u0000\u0001\u0002\r\n\r\n', /^HTTP\/1\.1 400 /],
      ['GET / HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400 /],
      [head(server, 'Content-Length: 5', 'Transfer-Encoding: chunked'), /^HTTP\/1\.1 400 /],
      [head(server, 'Content-Length: -1'), /^HTTP\/1\.1 400 /],
    ]
    for (const [said, heard] of lines) {
      const socket = dial(server)
      socket.write(said)
      await hungUp(socket)
      expect(socket.heard).toMatch(heard)
    }
    await expectServed(server)
  })
})

/** The same command, whose server waits a tenth of the time for a request to come. */
function hastyExecutable(): string {
  const script = join(temporaryFolder(), 'hasty.cjs')
  writeFileSync(
    script,
    `const http = require('node:http')
    const { createServer } = http
    const times = ['headersTimeout', 'requestTimeout', 'connectionsCheckingInterval']
    const hasty = (options) => Object.fromEntries(times.map((name) => [name, options[name] / 10]))
    http.createServer = (options, handle) => createServer({ ...options, ...hasty(options) }, handle)
    require('node:module').syncBuiltinESMExports()
    require(${JSON.stringify(cliCommand([]).at(-1))})`,
  )
  return script
}

/** Two hundred clients send their headers letter by letter. Returns once the server has ended each of them. */
async function attackWithSlowHeaders(server: ServeProcess): Promise<void> {
  const before = residentBytes(server)
  const slow = Array.from({ length: 200 }, () => dial(server))
  const closed = slow.map(hungUp)
  for (const socket of slow) socket.write('GET /api/v1/agents HTTP/1.1\r\nX-Slow: ')
  const drip = setInterval(() => {
    for (const socket of slow) if (socket.writable) socket.write('x')
  }, 500)
  onTestFinished(() => clearInterval(drip))
  for (let request = 0; request < 20; request++) await expectServed(server)
  await Promise.all(closed)
  expect(slow.filter(({ heard }) => heard.startsWith('HTTP/1.1 408 '))).toHaveLength(200)
  expect(residentBytes(server) - before).toBeLessThan(ROOM)
  await expectServed(server)
}

describe('slowness', () => {
  it('ends clients that never finish their headers, and serves the others meanwhile', async () => {
    verifies('G16.bounded')
    await attackWithSlowHeaders(await open(hastyExecutable()))
  })

  it('ends clients that never finish their headers within the time of a real server', FULL, async () => {
    verifies('G16.bounded')
    await attackWithSlowHeaders(await open())
  })

  it('in sending a body takes its time from nobody else', FULL, async () => {
    verifies('G16.bounded')
    const server = await open()
    const slow = Array.from({ length: 100 }, () => dial(server))
    for (const socket of slow) socket.write(`${head(server, 'Content-Length: 1000')}{"to":`)
    for (let request = 0; request < 20; request++) await expectServed(server)
    for (const socket of slow) socket.destroy()
    await expectServed(server)
    expect(server.stderr()).toBe('')
  })

  it('of more clients than there may be leaves room for others once they are gone', async () => {
    verifies('G16.bounded')
    const server = await open()
    const idle = Array.from({ length: 1_200 }, () => dial(server))
    await Promise.all(idle.map((socket) => Promise.race([once(socket, 'connect').catch(() => {}), hungUp(socket)])))
    await expect.poll(() => idle.filter(({ closed }) => closed).length, PATIENTLY).toBeGreaterThan(150)
    for (const socket of idle) socket.destroy()
    await expect
      .poll(
        () =>
          server.ask('GET /healthz').then(
            ({ status }) => status,
            () => 0,
          ),
        PATIENTLY,
      )
      .toBe(200)
    await expectServed(server)
  })
})
