import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import '../../helpers/global-postgres.ts'
import { EXECUTABLE, postern } from '../../helpers/command.ts'
import { ask, startServe } from '../../helpers/http-server.ts'
import { needsPostgres } from '../../helpers/needs.ts'
import { createDatabase } from '../../helpers/postgres.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { warmPostern, warmPosternJson } from '../../helpers/warm-command.ts'
import { verifies } from '../verifies.ts'

const mode = (path: string) => statSync(path).mode & 0o777

describe('postern serve', () => {
  it('says where it answers, and answers there', async () => {
    verifies('S001.server')
    const home = fastFolder()
    const server = await startServe({ home })
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(server.pid).toBe(server.child.pid)
    expect(mode(join(home, 'token'))).toBe(0o600)
    expect(mode(server.socket)).toBe(0o600)
    expect(mode(join(home, 'run'))).toBe(0o700)
    expect(await server.ask('GET /api/v1/agents')).toMatchObject({ status: 200, body: [] })
    const local = await ask('http://localhost', 'GET /api/v1/agents', { socketPath: server.socket })
    expect(local).toMatchObject({ status: 200, body: [] })
    expect(await server.stop()).toBe(0)
    expect([server.socket, join(home, 'server.lock')].filter(existsSync)).toEqual([])
    expect(server.stderr()).toBe('')
  })

  it('tells a person how to go on', async () => {
    const home = fastFolder()
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, POSTERN_HOME: home }
    const child = spawn(process.execPath, [EXECUTABLE, 'serve', '--port', '0'], { env })
    let said = ''
    child.stdout.on('data', (chunk) => {
      said += chunk
      if (said.includes('Ctrl-C')) child.kill('SIGINT')
    })
    expect(await once(child, 'exit')).toEqual([0, null])
    const [, line = ''] = /try +(curl .*)\n/.exec(said) ?? []
    expect(said).toMatch(/^Postern answers at http:\/\/127\.0\.0\.1:\d+ and at /)
    expect(said).toContain(join(home, 'token'))
    expect(line).toContain('/api/v1/agents')
  })

  it('keeps its token from one start to the next, and replaces one that was revoked', async () => {
    const home = fastFolder()
    const first = await startServe({ home })
    await first.stop()
    chmodSync(join(home, 'token'), 0o644)
    const second = await startServe({ home })
    expect(second.token).toBe(first.token)
    expect(mode(join(home, 'token'))).toBe(0o600)
    const [own] = (await second.ask('GET /api/v1/tokens')).body
    expect(await second.ask(`DELETE /api/v1/tokens/${own.id}`)).toMatchObject({ status: 200 })
    await second.stop()
    const third = await startServe({ home })
    expect(third.token).not.toBe(first.token)
    expect(await third.ask('GET /api/v1/agents')).toMatchObject({ status: 200 })
    expect(await third.ask('GET /api/v1/agents', { token: first.token })).toMatchObject({ status: 401 })
  })

  it('is the only one for its store, and says who has it', async () => {
    verifies('S001.server')
    const home = fastFolder()
    const server = await startServe({ home })
    const second = await postern({ home }, 'serve', '--port', '0')
    expect(second).toMatchObject({ exit: 6, stderr: expect.stringContaining('[SERVER_RUNNING]') })
    expect(second.stderr).toContain(`The process ${server.pid} already serves this store, at ${server.url}.`)
    // Commands go on beside it.
    expect(await warmPostern({ home }, 'agent', 'add', 'quinn')).toMatchObject({ exit: 0 })
    expect((await server.ask('GET /api/v1/agents')).body).toMatchObject([{ id: 'quinn' }])
  })

  it('takes the place of one that was killed', async () => {
    verifies('S001.server')
    const home = fastFolder()
    const first = await startServe({ home })
    await first.stop('SIGKILL')
    expect([first.socket, join(home, 'server.lock')].filter(existsSync)).toHaveLength(2)
    const second = await startServe({ home })
    const local = await ask('http://localhost', 'GET /healthz', { socketPath: second.socket })
    expect(local).toMatchObject({ status: 200 })
    expect(await second.stop('SIGINT')).toBe(0)
  })

  it('lets a request end that is under way, and ends those that wait', async () => {
    verifies('S001.server')
    const home = fastFolder()
    const server = await startServe({ home })
    await server.ask('POST /api/v1/agents', { body: { id: 'quinn' } })
    const waiting = server.ask('POST /api/v1/inbox/wait', { body: { agent: 'quinn' } })
    await expect.poll(async () => (await server.ask('GET /metrics')).text).toContain('postern_http_connections 2')
    expect(await server.stop()).toBe(0)
    expect(await waiting).toMatchObject({ status: 503, body: { code: 'SERVER_UNAVAILABLE' } })
  })

  it('runs side by side on PostgreSQL, as many as one likes', needsPostgres(inject('postgresUrl')), async () => {
    verifies('S001.server')
    const database = await createDatabase(inject('postgresUrl'))
    onTestFinished(() => database.drop())
    const args = ['--store', database.url]
    const home = fastFolder()
    const first = await startServe({ home, args })
    const second = await startServe({ home, args })
    expect(second.socket).toBeNull()
    await first.ask('POST /api/v1/agents', { body: { id: 'quinn' } })
    const waiting = second.ask('POST /api/v1/inbox/wait', { body: { agent: 'quinn', timeoutMs: 30_000 } })
    await expect.poll(async () => (await second.ask('GET /metrics')).text).toContain('postern_http_connections 2')
    await first.ask('POST /api/v1/inbox', { body: { to: ['quinn'], content: 'hello' } })
    expect(await waiting).toMatchObject({ body: { pending: 1 } })
    expect(await Promise.all([first.stop(), second.stop()])).toEqual([0, 0])
  })

  it('reads its address from the configuration, and refuses one that is none', async () => {
    const home = fastFolder()
    const write = (settings: unknown) => writeFileSync(join(home, 'config.json'), JSON.stringify({ server: settings }))
    for (const settings of [7, { port: 'x' }, { port: 70_000 }, { host: '' }, { names: 'x' }, { prot: 1 }]) {
      write(settings)
      const { exit, stderr } = await postern({ home }, 'serve')
      expect([exit, stderr], JSON.stringify(settings)).toEqual([64, expect.stringContaining('[CONFIG_INVALID]')])
    }
    write({ port: 0, names: ['postern.example'] })
    for (const port of ['x', '-1', '65536', '1.5']) {
      expect(await postern({ home }, 'serve', `--port=${port}`)).toMatchObject({ exit: 64 })
    }
    expect(await postern({ home }, 'serve', '--host=')).toMatchObject({ exit: 64 })
    const server = await startServe({ home })
    expect(await server.ask('GET /version', { headers: { host: 'postern.example' } })).toMatchObject({ status: 200 })
  })

  it('says so where its address is taken, or cannot be had', async () => {
    const home = fastFolder()
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    const taken = await postern({ home }, 'serve', '--port', String(port))
    expect(taken).toMatchObject({ exit: 69, stderr: expect.stringContaining('[ADDRESS_IN_USE]') })
    const nowhere = await postern({ home }, 'serve', '--port', '0', '--host', '203.0.113.7')
    expect(nowhere).toMatchObject({ exit: 64, stderr: expect.stringContaining('[VALUE_INVALID]') })
    expect(existsSync(join(home, 'server.lock'))).toBe(false)
  })

  it('warns where others can reach it', async () => {
    const server = await startServe({ home: fastFolder(), args: ['--host', '0.0.0.0'] })
    expect(JSON.parse(server.stderr())).toMatchObject({ event: 'serve.exposed', host: '0.0.0.0' })
    const { port } = new URL(server.url)
    expect(await ask(`http://127.0.0.1:${port}`, 'GET /healthz')).toMatchObject({ status: 200 })
  })
})

describe('an outside system', () => {
  it("wakes an agent as the seed's Jira example does, with curl", async () => {
    verifies('S001.server')
    const home = fastFolder()
    const { url } = await startServe({ home })
    await warmPostern({ home }, 'agent', 'add', 'developer')
    const { key } = await warmPosternJson<{ key: string }>(
      { home },
      'service',
      'create',
      'jira-webhook',
      '--agent',
      'developer',
    )
    const body = { serviceName: 'jira-webhook', payload: { issue: 'PROJ-123', action: 'created' } }
    const curl = async (secret: string) => {
      const { stdout } = await promisify(execFile)('curl', [
        '-s',
        '-X',
        'POST',
        `${url}/api/agents/developer/trigger`,
        '-H',
        `x-secret-key: ${secret}`,
        '-d',
        JSON.stringify(body),
      ])
      return JSON.parse(stdout)
    }
    const { eventId } = await curl(key)
    const { message } = await warmPosternJson<{ message: object }>({ home }, 'inbox', 'show', eventId)
    expect(message).toMatchObject({
      type: 'service',
      from: { id: 'jira-webhook', kind: 'service', verified: true },
      payload: body,
    })
    expect(await curl('sk_wrong')).toMatchObject({ status: 401, code: 'TRIGGER_REFUSED' })
    for (let guess = 0; guess < 10; guess++) await curl('sk_wrong')
    expect(await curl('sk_wrong')).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
    // The lock-out holds for the right key from that address too, so no answer tells a guesser that it was right.
    expect(await curl(key)).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
  })
})

describe('a token', () => {
  it('lets its holder do what its scope says, and no more', async () => {
    verifies('G16.scopes')
    const home = fastFolder()
    const { ask } = await startServe({ home })
    for (const id of ['quinn', 'mindy']) await ask('POST /api/v1/agents', { body: { id } })
    await ask('POST /api/v1/agents', { body: { id: 'justin', kind: 'human' } })
    const tokenFor = async (scope: string): Promise<string> =>
      (await ask('POST /api/v1/tokens', { body: { scope } })).body.token
    const [quinn, justin] = [await tokenFor('agent:quinn'), await tokenFor('human:justin')]
    const secret = await ask('POST /api/v1/inbox', { token: justin, body: { to: ['mindy'], content: 'between us' } })

    const tries: [route: string, body: object | undefined, ofAgent: number, ofPerson: number][] = [
      ['GET /api/v1/agents', undefined, 200, 200],
      ['GET /api/v1/inbox?agent=mindy', undefined, 403, 200],
      [`GET /api/v1/inbox/${secret.body.id}`, undefined, 404, 200],
      ['POST /api/v1/inbox/drain', { agent: 'mindy' }, 403, 200],
      ['POST /api/v1/agents', { id: 'rex' }, 403, 201],
      ['POST /api/v1/tokens', { scope: 'admin' }, 403, 403],
      ['GET /api/v1/tokens', undefined, 403, 403],
      ['POST /api/v1/gates', { agent: 'mindy', kind: 'command', reason: 'x', awaits: 'touch /tmp/x' }, 403, 403],
      ['POST /api/v1/upkeep', {}, 403, 403],
      ['GET /api/v1/doctor', undefined, 403, 200],
    ]
    for (const [route, body, ofAgent, ofPerson] of tries) {
      const asked = body === undefined ? {} : { body }
      expect((await ask(route, { ...asked, token: quinn })).status, `quinn: ${route}`).toBe(ofAgent)
      expect((await ask(route, { ...asked, token: justin })).status, `justin: ${route}`).toBe(ofPerson)
    }
    expect(readFileSync(join(home, 'postern.db'), 'latin1')).not.toContain(quinn)
  })
})
