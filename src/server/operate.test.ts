import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { type Answer, openServer, type TestServer } from '../../test/helpers/http-server.ts'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { createAnswerOnce, type Replies } from '../core/replies.ts'
import type { ServerOptions } from './server.ts'

/** The store of another server, with answers that are claimed but not stored. */
function withReplies(
  { postern, credentials }: TestServer['served'],
  replies: Omit<Replies, 'claim'>,
): Partial<ServerOptions> {
  const claim: Replies['claim'] = async ({ caller, key }) => ({ caller, key, taken: 1, outcome: null })
  const answerOnce = createAnswerOnce({ ...replies, claim })
  return { postern, credentials, answerOnce, under: (_, { caller }) => postern.as(caller) }
}

async function open(): Promise<TestServer> {
  const server = await openServer()
  for (const id of ['quinn', 'mindy']) await server.served.postern.agents.add({ id })
  await server.served.postern.agents.add({ id: 'justin', kind: 'human' })
  return server
}

describe('an input', () => {
  it('comes from the path, the query or the body, by the method', async () => {
    const { ask } = await open()
    expect(await ask('PATCH /api/v1/agents/quinn', { body: { displayName: 'Q' } })).toMatchObject({
      body: { displayName: 'Q' },
    })
    expect((await ask('GET /api/v1/inbox?which=all&limit=1')).body).toEqual({ items: [], next: null })
    const refusals: [string, object, string][] = [
      ['PATCH /api/v1/agents/quinn', { body: { displayName: 'Q', id: 'mindy' } }, 'differs from the path'],
      ['POST /api/v1/agents?id=rex', { body: {} }, 'belongs into the body'],
      ['GET /api/v1/agents?nonsense=1', {}, 'no field "nonsense"'],
      ['GET /api/v1/inbox?limit=many', {}, '"limit" is not a number'],
    ]
    for (const [route, asked, words] of refusals) {
      const answer = await ask(route, asked)
      expect(answer, route).toMatchObject({ status: 422, body: { code: 'INPUT_INVALID' } })
      expect(answer.body.detail).toContain(words)
    }
  })

  it('is JSON and says so', async () => {
    const { ask } = await open()
    const text = '{"id":"rex"}'
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      '',
      'application/jsonp',
    ]) {
      const answer = await ask('POST /api/v1/agents', { text, headers: { 'content-type': type } })
      expect(answer, type).toMatchObject({ status: 415, body: { code: 'MEDIA_TYPE_REFUSED' } })
    }
    for (const [header, value, code] of [
      ['content-encoding', 'gzip', 'BODY_INVALID'],
      ['transfer-encoding', 'gzip, chunked', 'REQUEST_INVALID'],
    ] as const) {
      const encoded = await ask('POST /api/v1/agents', { text: `{"id":"zip"}`, headers: { [header]: value } })
      expect(encoded, header).toMatchObject({ status: 400, body: { code } })
    }
    for (const bad of ['{', '[]', '"x"', '['.repeat(100_000)]) {
      expect(await ask('POST /api/v1/agents', { text: bad })).toMatchObject({
        status: 400,
        body: { code: 'BODY_INVALID' },
      })
    }
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    expect(await ask('POST /api/v1/agents', { text, headers })).toMatchObject({ status: 201 })
  })

  it('is not taken in where it is too large', async () => {
    const { ask } = await open()
    const answer = await ask('POST /api/v1/agents', { text: `{"id":"${'x'.repeat(300_000)}"}` })
    expect(answer).toMatchObject({ status: 413, body: { code: 'BODY_TOO_LARGE' }, headers: { connection: 'close' } })
    // What the request may hold, the message need not.
    const message = await ask('POST /api/v1/inbox', { body: { to: ['quinn'], content: 'x'.repeat(70_000) } })
    expect(message).toMatchObject({ status: 413, body: { code: 'CONTENT_TOO_LARGE' } })
  })

  it('means the program that asks where it names nobody, and may name nobody else', async () => {
    const { ask, token } = await open()
    const own = await token('agent:quinn')
    await ask('POST /api/v1/inbox', { body: { to: ['quinn'], content: 'hello' } })
    expect(await ask('POST /api/v1/inbox/drain', { token: own })).toMatchObject({
      body: { messages: [{ content: 'hello' }] },
    })
    const other = await ask('POST /api/v1/inbox/drain', { token: own, body: { agent: 'mindy' } })
    expect(other).toMatchObject({ status: 403, body: { code: 'NOT_ALLOWED' } })
  })
})

describe('a request with an Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'k-1' }
  const repeated = ({ headers }: Answer) => headers['idempotency-replayed']

  it('is done once, and its answer repeated', async () => {
    const { ask } = await open()
    const body = { agent: 'quinn', kind: 'human', reason: 'wait' }
    const first = await ask('POST /api/v1/gates', { headers, body })
    const again = await ask('POST /api/v1/gates', { headers, body })
    expect(again).toMatchObject({ status: 201, body: first.body })
    expect([first, again].map(repeated)).toEqual([undefined, 'true'])
    expect((await ask('GET /api/v1/gates')).body).toHaveLength(1)
  })

  it('is refused where it says something else under the same key', async () => {
    const { ask } = await open()
    await ask('POST /api/v1/agents', { headers, body: { id: 'rex' } })
    const other = await ask('POST /api/v1/agents', { headers, body: { id: 'max' } })
    expect(other).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_CONFLICT' } })
    const path = await ask('POST /api/v1/spaces', { headers, body: { id: 'rex' } })
    expect(path).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_CONFLICT' } })
  })

  it('has a key of its own for each caller', async () => {
    const { ask, token } = await open()
    const ofPerson = await token('human:justin')
    expect(await ask('POST /api/v1/agents', { headers, body: { id: 'rex' } })).toMatchObject({ status: 201 })
    expect(await ask('POST /api/v1/agents', { headers, token: ofPerson, body: { id: 'max' } })).toMatchObject({
      status: 201,
    })
  })

  it('is a push of its own for each caller too, whoever it is for and whatever it says', async () => {
    const { ask, token, served } = await open()
    const tokens = [await token('agent:quinn'), await token('human:justin')]
    const push = (token: string, key = 'k-1') =>
      ask('POST /api/v1/inbox', {
        token,
        headers: { 'idempotency-key': key },
        body: { to: ['mindy'], content: 'hello' },
      })
    const [first, second] = [await push(tokens[0] as string), await push(tokens[1] as string)]
    expect([first.body.duplicate, second.body.duplicate]).toEqual([false, false])
    expect((await push(tokens[0] as string)).body).toMatchObject({ id: first.body.id, duplicate: true })
    const long = 'k'.repeat(255)
    const sent = await push(tokens[1] as string, long)
    expect((await push(tokens[1] as string, long)).body).toMatchObject({ id: sent.body.id, duplicate: true })
    expect((await served.postern.inbox.list({ agent: 'mindy' })).items).toHaveLength(3)
  })

  it('does not tell anybody what an administrator was answered on their behalf', async () => {
    const { ask, token } = await open()
    const as = JSON.stringify({ id: 'justin', kind: 'human', verified: false, via: 'cli' })
    expect(await ask('POST /api/v1/upkeep', { headers: { ...headers, 'postern-as': as } })).toMatchObject({
      status: 200,
    })
    const own = await ask('POST /api/v1/upkeep', { headers, token: await token('human:justin') })
    expect(own).toMatchObject({ status: 403, body: { code: 'NOT_ALLOWED' } })
  })

  it('is busy while it is being answered', async () => {
    const { ask } = await open()
    const folder = temporaryFolder()
    const [started, end] = [join(folder, 'started'), join(folder, 'end')]
    execFileSync('mkfifo', [end])
    const awaits = `touch ${started}; read line < ${end}`
    const { body: gate } = await ask('POST /api/v1/gates', {
      body: { agent: 'quinn', kind: 'command', awaits, reason: 'It takes a while' },
    })
    const check = (body: object = {}) => ask(`POST /api/v1/gates/${gate.id}/check`, { headers, body })
    const first = check()
    await expect.poll(() => existsSync(started)).toBe(true)
    expect((await check({ other: true })).body.code).toBe('IDEMPOTENCY_CONFLICT')
    expect(await check()).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_BUSY', retryable: true } })
    await writeFile(end, 'go\n')
    expect(await first).toMatchObject({ status: 200, body: { state: 'resolved' } })
  })

  it('is no key of a wait or a read by POST, which tell how it is now', async () => {
    const { ask } = await open()
    const wait = () => ask('POST /api/v1/inbox/wait', { headers, body: { agent: 'quinn', timeoutMs: 0 } })
    expect((await wait()).body).toEqual({ pending: 0 })
    await ask('POST /api/v1/inbox', { body: { to: ['quinn'], content: 'hello' } })
    expect((await wait()).body).toEqual({ pending: 1 })
  })

  it('that was refused is looked at again, for nothing may stand in its way any more', async () => {
    const { ask } = await open()
    const body = { id: 'alpha', members: ['rex'] }
    const create = () => ask('POST /api/v1/spaces', { headers, body })
    expect((await create()).body.code).toBe('AGENT_NOT_FOUND')
    await ask('POST /api/v1/agents', { body: { id: 'rex' } })
    const made = await create()
    expect([made.status, repeated(made)]).toEqual([201, undefined])
    expect(repeated(await create())).toBe('true')
  })

  it('that pushes has it for a dedup key, unless it brings one', async () => {
    const { ask, served } = await open()
    const push = (more: object = {}) =>
      ask('POST /api/v1/inbox', { headers, body: { to: ['quinn'], content: 'x', ...more } })
    const first = await push()
    expect(await push()).toMatchObject({ status: 201, body: { id: first.body.id, duplicate: true } })
    const keyed = await push({ dedupKey: 'own' })
    expect((await served.postern.inbox.show({ id: keyed.body.id })).message.dedupKey).toBe('own')
  })

  it('that pushes many has it for a dedup key of each, so that a lost answer of the store stores nothing again', async () => {
    const { served } = await open()
    const nothing = async () => {}
    const { ask } = await openServer(withReplies(served, { keep: nothing, drop: nothing, release: nothing }))
    const { token } = await served.postern.tokens.create({ scope: 'admin' })
    const messages = [{ content: 'x' }, { content: 'x' }, { content: 'y', dedupKey: 'own' }]
    const body = { messages: messages.map((message) => ({ to: ['quinn'], ...message })) }
    const [first, again] = [
      await ask('POST /api/v1/inbox/batch', { token, headers, body }),
      await ask('POST /api/v1/inbox/batch', { token, headers, body }),
    ]
    expect(first.body.map(({ duplicate }: { duplicate: boolean }) => duplicate)).toEqual([false, false, false])
    expect(again.body).toMatchObject(first.body.map(({ id }: { id: string }) => ({ id, duplicate: true })))
    expect((await served.postern.inbox.list({ agent: 'quinn' })).items).toHaveLength(3)
  })

  it('that was carried out gets its answer even if the answer cannot be stored', async () => {
    const full = () => Promise.reject(new Error('the disk is full'))
    const { served } = await open()
    const { ask, logged } = await openServer(withReplies(served, { keep: full, drop: full, release: full }))
    const { token } = await served.postern.tokens.create({ scope: 'admin' })
    const asked = { token, headers: { 'idempotency-key': 'k1' }, body: { id: 'rex' } }
    expect(await ask('POST /api/v1/agents', asked)).toMatchObject({ status: 201 })
    expect(logged.join()).toContain('the disk is full')
    // A refusal keeps its own reason; that the key could not be given back is only logged.
    expect((await ask('POST /api/v1/agents', { ...asked, body: { id: 'no way' } })).body.code).toBe('AGENT_ID_INVALID')
  })

  it('leaves no secret behind', async () => {
    const { ask, served } = await open()
    await served.postern.tokens.list()
    const body = { scope: 'agent:quinn' }
    const first = await ask('POST /api/v1/tokens', { headers, body })
    const again = await ask('POST /api/v1/tokens', { headers, body })
    expect(again.body.token).not.toBe(first.body.token)
  })

  it('is refused where the key is none', async () => {
    const { ask } = await open()
    for (const key of ['', ' ', 'a b', 'x'.repeat(256)]) {
      const answer = await ask('POST /api/v1/agents', { headers: { 'idempotency-key': key }, body: { id: 'rex' } })
      expect(answer, key).toMatchObject({ status: 422, body: { code: 'INPUT_INVALID' } })
    }
  })
})

describe('a version', () => {
  it('is told with what was looked at, and saves the look where it is known', async () => {
    const { ask, token } = await open()
    const gate = await ask('POST /api/v1/gates', { body: { agent: 'quinn', kind: 'human', reason: 'wait' } })
    const look = (headers = {}) => ask(`GET /api/v1/gates/${gate.body.id}`, { headers })
    const { headers } = await look()
    const etag = String(headers['etag'])
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/)
    expect(await look({ 'if-none-match': etag })).toMatchObject({ status: 304, text: '', headers: { etag } })
    expect(await look({ 'if-none-match': `"x", W/${etag}` })).toMatchObject({ status: 304 })
    const body = { reason: 'done' }
    await ask(`POST /api/v1/gates/${gate.body.id}/resolve`, { token: await token('human:justin'), body })
    expect(await look({ 'if-none-match': etag })).toMatchObject({ status: 200 })
  })

  it('may be what a change is for: another one is refused', async () => {
    const { ask, token } = await open()
    const justin = await token('human:justin')
    const made = await ask('POST /api/v1/decisions', {
      body: { agent: 'quinn', question: 'Which?', options: [{ key: 'a', label: 'A' }], ask: ['justin'] },
    })
    const path = `/api/v1/decisions/${made.body.id}`
    const { headers } = await ask(`GET ${path}`)
    const respond = (etag: string) =>
      ask(`POST ${path}/cancel`, { token: justin, headers: { 'if-match': etag }, body: { reason: 'not needed' } })
    expect(await respond('"0123"')).toMatchObject({ status: 412, body: { code: 'ETAG_MISMATCH' } })
    expect((await ask(`GET ${path}`)).body.state).toBe('open')
    expect(await respond(String(headers['etag']))).toMatchObject({ status: 200, body: { state: 'cancelled' } })
    expect(await respond(String(headers['etag']))).toMatchObject({ status: 412 })
  })

  it('is refused where nothing has one', async () => {
    const { ask } = await open()
    for (const route of ['POST /api/v1/agents/quinn/mark-quiet', 'PUT /api/v1/plans', 'GET /api/v1/agents']) {
      const answer = await ask(route, {
        headers: { 'if-match': '"x"' },
        ...(route.startsWith('PUT') && { body: { plans: [] } }),
      })
      expect(answer, route).toMatchObject({ status: 422, body: { code: 'INPUT_INVALID' } })
    }
  })

  it('of a plan is looked at by whoever changes it', async () => {
    const { ask } = await open()
    const plans = [{ agent: 'quinn', name: 'soon', instruction: 'look', runAfter: '5 hours' }]
    const set = await ask('PUT /api/v1/plans', { body: { plans } })
    const path = `/api/v1/plans/${set.body[0].id}`
    const { headers } = await ask(`GET ${path}`)
    const seen = { 'if-match': String(headers['etag']) }
    expect(await ask(`POST ${path}/pause`, { headers: seen })).toMatchObject({ status: 200 })
    expect(await ask(`POST ${path}/resume`, { headers: seen })).toMatchObject({ status: 412 })
  })
})

describe('a message', () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

  it('keeps the trace context of its request, for every recipient', async () => {
    const { ask } = await open()
    const headers = { traceparent, tracestate: 'a=1,b=2' }
    const { body } = await ask('POST /api/v1/inbox', { headers, body: { to: ['quinn'], content: 'x' } })
    const shown = await ask(`GET /api/v1/inbox/${body.id}`)
    expect(shown.body.message.trace).toEqual({ traceparent, tracestate: 'a=1,b=2' })
    const many = await ask('POST /api/v1/inbox/batch', {
      headers,
      body: { messages: [{ to: ['quinn'], content: 'y' }] },
    })
    expect((await ask(`GET /api/v1/inbox/${many.body[0].id}`)).body.message.trace.traceparent).toBe(traceparent)
  })

  it('has none where the context is not valid', async () => {
    const { ask } = await open()
    const zeros = '00-00000000000000000000000000000000-00f067aa0ba902b7-01'
    for (const bad of ['x', zeros, `ff${traceparent.slice(2)}`, `${traceparent}-more`, traceparent.toUpperCase()]) {
      const headers = { traceparent: bad, tracestate: 'a=1' }
      const { body } = await ask('POST /api/v1/inbox', { headers, body: { to: ['quinn'], content: 'x' } })
      expect((await ask(`GET /api/v1/inbox/${body.id}`)).body.message.trace).toBeNull()
    }
  })
})

describe('a request that waits', () => {
  it('is answered when something comes', async () => {
    const { ask } = await open()
    const waiting = ask('POST /api/v1/inbox/wait', { body: { agent: 'quinn', timeoutMs: 60_000 } })
    await ask('POST /api/v1/inbox', { body: { to: ['quinn'], content: 'x' } })
    expect(await waiting).toMatchObject({ status: 200, body: { pending: 1 } })
  })

  it('tells that its time is over', async () => {
    const { ask } = await open()
    expect(await ask('POST /api/v1/inbox/wait', { body: { agent: 'quinn', timeoutMs: 1 } })).toMatchObject({
      body: { pending: 0 },
    })
    const { body } = await ask('POST /api/v1/inbox', { body: { to: ['quinn'], content: 'x' } })
    const late = await ask(`POST /api/v1/inbox/${body.id}/wait`, { body: { stage: 'seen', timeoutMs: 1 } })
    expect(late).toMatchObject({ status: 408, body: { code: 'TIMED_OUT' } })
  })

  it('is told to ask again when the server stops, and not that its time is over', async () => {
    const server = await open()
    const { body: message } = await server.ask('POST /api/v1/inbox', { body: { to: ['quinn'], content: 'x' } })
    const waiting = [
      server.ask('POST /api/v1/inbox/wait', { body: { agent: 'mindy', timeoutMs: 60_000 } }),
      server.ask(`POST /api/v1/inbox/${message.id}/wait`, { body: { stage: 'seen', timeoutMs: 60_000 } }),
      server.ask('POST /api/v1/events/wait', { body: { timeoutMs: 60_000 } }),
    ]
    await expect.poll(async () => (await server.ask('GET /metrics')).text).toContain('postern_http_connections 4')
    await server.close()
    for (const answer of await Promise.all(waiting)) {
      const body = { code: 'SERVER_UNAVAILABLE', retryable: true }
      expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' }, body })
    }
  })

  it('does not begin to wait when the server stops', async () => {
    const server = await open()
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    const heard = text(socket)
    const head = `Host: ${new URL(server.url).host}\r\nAuthorization: Bearer ${await server.token()}\r\n`
    socket.write(`GET /healthz HTTP/1.1\r\n${head}\r\n`)
    await expect.poll(() => socket.bytesRead).toBeGreaterThan(0)
    const body = '{"agent":"quinn"}'
    const type = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
    socket.write(`POST /api/v1/inbox/wait HTTP/1.1\r\n${head}${type}\r\n${body}`)
    await server.close()
    expect(await heard).toMatch(/"code":"SERVER_UNAVAILABLE"/)
  })
})
