import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ask, openServer } from '../../test/helpers/http-server.ts'
import { createSignal } from '../../test/helpers/signal.ts'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import type { Postern } from '../model/postern.ts'
import { createServer } from './server.ts'

describe('a request for another address', () => {
  it('is refused, whatever else it has', async () => {
    const { url, ask, logged } = await openServer()
    const { port } = new URL(url)
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1', `127.0.0.1:1`, `localhost.evil:${port}`]) {
      const answer = await ask('GET /api/v1/agents', { headers: { host } })
      expect(answer, host).toMatchObject({ status: 403, body: { code: 'ORIGIN_REFUSED' } })
    }
    expect(await ask('GET /healthz', { token: null, headers: { host: 'evil.example' } })).toMatchObject({ status: 403 })
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`]) {
      expect(await ask('GET /api/v1/agents', { headers: { host } }), host).toMatchObject({ status: 200 })
    }
    // Strangers can cause as many of these as they like, and must not hide what fails.
    expect(new Set(logged.map((line) => JSON.parse(line).event))).toEqual(new Set(['request.refused']))
  })

  it('is answered under the names that the owner has set', async () => {
    const { ask } = await openServer({ names: ['postern.Example'] })
    const headers = { host: 'postern.example', origin: 'https://postern.example' }
    expect(await ask('GET /api/v1/agents', { headers })).toMatchObject({ status: 200 })
  })
})

describe('a request in a form of HTTP that few use', () => {
  /** Sends pieces one after the other on one connection, and returns all that is answered until it is closed. */
  async function talk(url: string, ...pieces: readonly string[]): Promise<string> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    const heard = text(socket)
    for (const piece of pieces) await new Promise((resolve) => socket.write(piece, resolve))
    return heard
  }

  const statuses = (heard: string) => [...heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

  it('is answered where its target is a whole URL, of this server only', async () => {
    const { url } = await openServer()
    const { host } = new URL(url)
    const end = `Host: ${host}\r\nConnection: close\r\n\r\n`
    expect(statuses(await talk(url, `GET http://${host}/healthz HTTP/1.1\r\n${end}`))).toEqual([200])
    expect(statuses(await talk(url, `GET http://evil.example/healthz HTTP/1.1\r\n${end}`))).toEqual([403])
  })

  it('is refused where it names two hosts', async () => {
    const { url } = await openServer()
    const { host } = new URL(url)
    const hosts = `Host: ${host}\r\nHost: evil.example\r\n`
    const heard = await talk(url, `GET /healthz HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`)
    expect(statuses(heard)).toEqual([400])
    expect(heard).toContain('REQUEST_INVALID')
  })

  it('is answered where it asks for the options of the whole server', async () => {
    const { ask } = await openServer()
    expect(await ask('OPTIONS *')).toMatchObject({ status: 204 })
  })

  it('says the type of a stream where only its headers are wanted', async () => {
    const { ask } = await openServer()
    const headers = { accept: 'text/event-stream' }
    const head = await ask('HEAD /api/v1/events', { headers })
    expect(head).toMatchObject({ status: 200, headers: { 'content-type': expect.stringContaining('event-stream') } })
  })

  it('keeps its connection where it has a small body that nobody reads', async () => {
    const { url, token } = await openServer()
    const head = `Host: ${new URL(url).host}\r\nAuthorization: Bearer ${await token()}\r\n`
    const first = `GET /api/v1/agents HTTP/1.1\r\n${head}Content-Length: 2\r\n\r\n`
    const second = `GET /healthz HTTP/1.1\r\n${head}Connection: close\r\n\r\n`
    expect(statuses(await talk(url, first, `{}${second}`))).toEqual([200, 200])
  })
})

describe('a request of a page', () => {
  it('of another origin is refused', async () => {
    const { url, ask } = await openServer()
    const { port } = new URL(url)
    for (const origin of [
      'http://evil.example',
      'null',
      `http://127.0.0.1:${Number(port) - 1}`,
      `file://`,
      'http://',
    ]) {
      const answer = await ask('POST /api/v1/agents', { headers: { origin }, body: { id: 'quinn' } })
      expect(answer, origin).toMatchObject({ status: 403, body: { code: 'ORIGIN_REFUSED' } })
    }
    for (const site of ['cross-site', 'same-site']) {
      const headers = { 'sec-fetch-site': site }
      expect(await ask('GET /api/v1/agents', { headers })).toMatchObject({ status: 403 })
    }
  })

  it('of its own is answered', async () => {
    const { url, ask } = await openServer()
    for (const headers of [{ origin: url }, { 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }]) {
      expect(await ask('GET /api/v1/agents', { headers: { ...headers } })).toMatchObject({ status: 200 })
    }
  })
})

describe('whoever asks', () => {
  it('needs a token, in the header and nowhere else', async () => {
    const { ask, token } = await openServer()
    const good = await token()
    for (const route of [
      'GET /api/v1/agents',
      `GET /api/v1/agents?token=${good}`,
      `GET /api/v1/agents?ticket=${good}`,
    ]) {
      const answer = await ask(route, { token: null })
      expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } })
    }
    for (const authorization of [good, `Basic ${good}`, `Bearer ${good}x`, 'Bearer', `Bearer ${good} ${good}`]) {
      expect(await ask('GET /api/v1/agents', { token: null, headers: { authorization } })).toMatchObject({
        status: 401,
      })
    }
    expect(
      await ask('GET /api/v1/agents', { token: null, headers: { authorization: `bearer ${good}` } }),
    ).toMatchObject({
      status: 200,
    })
  })

  it('is slowed where it guesses, while the right token is still served', async () => {
    const { ask, logged } = await openServer()
    const wrong = `pst_${'x'.repeat(43)}`
    for (let guess = 0; guess < 10; guess++)
      expect(await ask('GET /api/v1/agents', { token: wrong })).toMatchObject({ status: 401 })
    const answer = await ask('GET /api/v1/agents', { token: wrong })
    expect(answer).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } })
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    expect(await ask('GET /api/v1/agents')).toMatchObject({ status: 200 })
    expect(logged.filter((line) => line.includes('credentials.guessed'))).toHaveLength(1)
    expect(logged.join()).not.toContain(wrong)
  })

  it('is locked out where it guesses the key of a service, whichever service it names, and so is the right key', async () => {
    const { ask } = await openServer()
    await ask('POST /api/v1/agents', { body: { id: 'quinn' } })
    const { key } = (await ask('POST /api/v1/services', { body: { name: 'jira', agent: 'quinn' } })).body
    const trigger = (agent: string, secret: string) =>
      ask(`POST /api/agents/${agent}/trigger`, { text: '{"payload":1}', headers: { 'x-secret-key': secret } })
    for (let guess = 0; guess < 10; guess++)
      expect(await trigger(guess % 2 ? 'quinn' : 'nobody', 'sk_wrong')).toMatchObject({ status: 401 })
    expect(await trigger('quinn', 'sk_wrong')).toMatchObject({ status: 429 })
    expect(await trigger('quinn', key)).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } })
    expect((await ask('GET /api/v1/services')).body).toMatchObject([{ events: 0 }])
  })

  it('is whom the token speaks for, until it is revoked', async () => {
    const { ask, served } = await openServer()
    await served.postern.agents.add({ id: 'quinn' })
    const { token, id } = await served.postern.tokens.create({ scope: 'agent:quinn' })
    const pushed = await ask('POST /api/v1/inbox', { token, body: { to: ['quinn'], content: 'a note' } })
    const { message } = await served.postern.inbox.show({ id: pushed.body.id })
    expect(message.from).toEqual({ id: 'quinn', kind: 'ai', verified: true, via: 'http' })
    expect((await ask('GET /api/v1/caller', { token })).body).toEqual({ caller: message.from })
    await ask(`DELETE /api/v1/tokens/${id}`)
    expect(await ask('GET /api/v1/agents', { token })).toMatchObject({ status: 401 })
  })

  it('may speak for another only as an administrator', async () => {
    const { ask, served, token } = await openServer()
    await served.postern.agents.add({ id: 'quinn' })
    const as = (caller: unknown) => ({ 'postern-as': JSON.stringify(caller) })
    const quinn = { id: 'quinn', kind: 'ai', verified: false, via: 'cli' }
    expect((await ask('GET /api/v1/caller', { headers: as(quinn) })).body).toEqual({ caller: quinn })
    // The register says what it is, and a token of its own that it is so.
    for (const claim of [{ verified: true }, { kind: 'human' }, { kind: 'service', verified: true }])
      expect((await ask('GET /api/v1/caller', { headers: as({ ...quinn, ...claim }) })).body).toEqual({ caller: quinn })
    const local = { id: 'local', kind: 'local', verified: false, via: 'cli' }
    expect((await ask('GET /api/v1/caller', { headers: as({ ...local, verified: true }) })).body).toEqual({
      caller: local,
    })
    for (const bad of [
      {},
      7,
      { ...quinn, id: 7 },
      { ...quinn, kind: 'god' },
      { ...quinn, verified: 'yes' },
      { ...quinn, via: 'a/b' },
      { ...quinn, id: 'nobody' },
      { ...quinn, id: 'local' },
      { ...quinn, kind: 'local' },
      { ...quinn, id: 'system' },
      { id: 'system', kind: 'system', verified: true, via: 'postern' },
    ]) {
      expect(await ask('GET /api/v1/caller', { headers: as(bad) })).toMatchObject({ status: 422 })
    }
    expect(await ask('GET /api/v1/caller', { headers: as({ ...quinn, id: '../x' }) })).toMatchObject({ status: 422 })
    expect(await ask('GET /api/v1/caller', { headers: as({ ...quinn, kind: 'system' }) })).toMatchObject({
      status: 422,
    })
    const own = await token('agent:quinn')
    expect(await ask('GET /api/v1/caller', { token: own, headers: as(quinn) })).toMatchObject({ status: 403 })
  })

  it('is told nothing that comes after their token was revoked, though they have waited for it', async () => {
    const { served } = await openServer()
    const { postern, credentials } = served
    const waits = createSignal<void>()
    const { ask } = await openServer({ postern: announcingWaits(postern, () => waits.fire()), credentials })
    await postern.agents.add({ id: 'quinn' })
    const { id, token } = await postern.tokens.create({ scope: 'agent:quinn' })
    const { cursor } = (await ask('GET /api/v1/events', { token })).body
    const waiting = ask('POST /api/v1/events/wait', { token, body: { after: cursor, timeoutMs: 60_000 } })
    await waits.next()
    await served.postern.tokens.revoke({ id })
    await served.postern.inbox.push({ to: ['quinn'], content: 'secret' })
    const answer = await waiting
    expect(answer).toMatchObject({ status: 401, body: { code: 'NOT_AUTHENTICATED' } })
    expect(answer.text).not.toContain('msg_')
  })

  it('may use a ticket for as long as the token that it was got with is good', async () => {
    const { ask, served } = await openServer()
    const { id, token } = await served.postern.tokens.create({ scope: 'admin' })
    const tickets = [await ask('POST /api/v1/tickets', { token }), await ask('POST /api/v1/tickets', { token })]
    const [first, second] = tickets.map(({ body }) => `GET /api/v1/agents?ticket=${body.ticket}`)
    expect(await ask(first as string, { token: null })).toMatchObject({ status: 200 })
    await served.postern.tokens.revoke({ id })
    expect(await ask(second as string, { token: null })).toMatchObject({ status: 401 })
  })

  it('may use a ticket once, to look and not to change', async () => {
    const { ask, served, token } = await openServer()
    await served.postern.agents.add({ id: 'quinn' })
    const own = await token('agent:quinn')
    const { status, body } = await ask('POST /api/v1/tickets', { token: own })
    expect(status).toBe(201)
    const route = `?ticket=${body.ticket}`
    expect(await ask(`POST /api/v1/inbox${route}`, { token: null, body: { content: 'x' } })).toMatchObject({
      status: 401,
    })
    expect((await ask(`GET /api/v1/caller${route}`, { token: null })).body).toMatchObject({ caller: { id: 'quinn' } })
    expect(await ask(`GET /api/v1/caller${route}`, { token: null })).toMatchObject({ status: 401 })
  })

  it('needs none on the socket, which only the owner can open', async () => {
    const { served, token } = await openServer()
    await served.postern.agents.add({ id: 'quinn' })
    const server = createServer(served)
    onTestFinished(() => server.close())
    const socketPath = join(temporaryFolder(), 's')
    await server.listenOnSocket(socketPath)
    const look = (own: string | null) => ask('http://localhost', 'GET /api/v1/caller', { socketPath, token: own })
    expect(await look(null)).toMatchObject({ status: 200, body: { caller: { id: 'local', verified: true } } })
    expect(await look(await token('agent:quinn'))).toMatchObject({ body: { caller: { id: 'quinn' } } })
    expect(await look(`pst_${'x'.repeat(43)}`)).toMatchObject({ status: 401 })
  })
})

/** The same Postern, which tells when somebody waits for events. */
function announcingWaits(postern: Postern, onWait: () => void): Postern {
  const wait: Postern['events']['wait'] = (input) => {
    onWait()
    return postern.events.wait(input)
  }
  return {
    ...postern,
    as: (caller) => announcingWaits(postern.as(caller), onWait),
    events: { ...postern.events, wait },
  }
}
