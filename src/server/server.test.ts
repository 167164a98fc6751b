import { describe, expect, it } from 'vitest'
import { openServer } from '../../test/helpers/http-server.ts'
import type { AnsweredRequest } from './log.ts'

describe('a request', () => {
  it('is answered with what the operation answers, times as ISO 8601', async () => {
    const { ask } = await openServer()
    const added = await ask('POST /api/v1/agents', { body: { id: 'quinn' } })
    expect(added).toMatchObject({ status: 201, body: { id: 'quinn', kind: 'ai' } })
    expect(added.body.createdAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
    expect(added.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^req_/),
    })
    expect(added.headers).not.toHaveProperty('access-control-allow-origin')
    expect(await ask('GET /api/v1/agents/quinn')).toMatchObject({ status: 200, body: { pending: 0 } })
  })

  it('is answered among any number that come at the same time', async () => {
    const { ask, served } = await openServer()
    await ask('POST /api/v1/agents', { body: { id: 'quinn' } })
    const together = Array.from({ length: 50 }, (_, at) =>
      ask('POST /api/v1/inbox', { body: { to: ['quinn'], content: `${at}` } }),
    )
    for (const { status } of await Promise.all(together)) expect(status).toBe(201)
    expect((await served.postern.agents.show({ id: 'quinn' })).pending).toBe(50)
  })

  it('may have its answer in a bare value, or none', async () => {
    const { ask } = await openServer()
    await ask('POST /api/v1/agents', { body: { id: 'quinn' } })
    expect((await ask('POST /api/v1/agents/quinn/mark-quiet')).body).toBeTypeOf('boolean')
    expect((await ask('POST /api/v1/agents/quinn/settle')).body).toBeTypeOf('boolean')
    const passed = { agent: 'quinn', sessionId: 's1', outcome: 'warned', names: [], evidence: 'x' }
    expect(await ask('POST /api/v1/gates/passed', { body: passed })).toMatchObject({ status: 204, text: '' })
  })

  it('is refused with a problem that says all an error says', async () => {
    const { ask } = await openServer()
    const { status, headers, body } = await ask('GET /api/v1/agents/nobody')
    expect(status).toBe(404)
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(body).toEqual({
      type: '/docs#AGENT_NOT_FOUND',
      title: 'Agent not found',
      status: 404,
      detail: 'There is no agent nobody.',
      code: 'AGENT_NOT_FOUND',
      next: expect.stringContaining('postern agent list'),
      retryable: false,
      details: expect.objectContaining({ id: 'nobody' }),
      requestId: headers['x-request-id'],
    })
  })

  it('that fails for a reason nobody expects tells nothing but where to look', async () => {
    const { ask, logged } = await openServer({
      check: () => Promise.reject(new Error('ENOENT: /home/somebody/secret')),
    })
    const { status, text, body } = await ask('GET /readyz')
    expect(status).toBe(500)
    expect(text).not.toContain('secret')
    expect(body.code).toBe('INTERNAL')
    expect(logged.join()).toContain(body.requestId)
    expect(logged.join()).toContain('/home/somebody/secret')
  })

  it('that fails because of the store does not tell where that lies', async () => {
    const { ask, served } = await openServer()
    await served.close()
    const { status, body } = await ask('GET /api/v1/agents')
    expect(status).toBe(503)
    expect(body.code).toBe('STORE_UNAVAILABLE')
    expect(JSON.stringify(body)).not.toContain('postern.db')
  })
})

describe('the log', () => {
  it('has the message of a refusal, and a stack only where something failed', async () => {
    const { ask, logged } = await openServer({ check: () => Promise.reject(new Error('the disk is gone')) })
    expect((await ask('GET /healthz', { headers: { host: 'evil.example' } })).status).toBe(403)
    expect(logged.join()).toContain('request.refused')
    expect(logged.join()).not.toContain('    at ')
    expect((await ask('GET /readyz')).status).toBe(500)
    expect(logged.join()).toContain('    at ')
  })

  it('has a line for every request where that is wanted: who asked for what, and how it ended', async () => {
    const lines: AnsweredRequest[] = []
    const { ask, token } = await openServer({ accessLog: (line) => lines.push(line) })
    await ask('POST /api/v1/agents', { body: { id: 'quinn' } })
    await ask('HEAD /api/v1/agents?removed=true', { token: await token('agent:quinn') })
    await ask('GET /nowhere?ticket=secret', { token: null })
    await expect.poll(() => lines.length).toBe(3)
    expect(lines).toEqual([
      expect.objectContaining({ method: 'POST', path: '/api/v1/agents', status: 201, caller: 'local' }),
      expect.objectContaining({ method: 'HEAD', path: '/api/v1/agents', status: 200, caller: 'quinn' }),
      expect.objectContaining({ method: 'GET', path: '/nowhere', status: 404, caller: null }),
    ])
    for (const { requestId, ms } of lines) expect([requestId.startsWith('req_'), ms >= 0]).toEqual([true, true])
  })
})

describe('a path', () => {
  it('that leads nowhere is not found; one that does answers to its methods only', async () => {
    const { ask } = await openServer()
    expect(await ask('GET /api/v1/nowhere')).toMatchObject({ status: 404, body: { code: 'ROUTE_NOT_FOUND' } })
    const refused = await ask('PUT /api/v1/agents')
    expect(refused).toMatchObject({ status: 405, body: { code: 'METHOD_REFUSED' } })
    expect(refused.headers['allow']).toBe('POST, GET, HEAD, OPTIONS')
  })

  it('tells its methods and its headers alone where that is asked', async () => {
    const { ask } = await openServer()
    const options = await ask('OPTIONS /api/v1/agents/quinn')
    expect(options).toMatchObject({ status: 204, headers: { allow: 'GET, PATCH, DELETE, HEAD, OPTIONS' } })
    const head = await ask('HEAD /api/v1/agents')
    expect(head).toMatchObject({ status: 200, text: '', headers: { 'content-length': '2' } })
  })
})

describe('the endpoints about the server', () => {
  it('are open where they say nothing about anybody', async () => {
    const { ask } = await openServer()
    expect(await ask('GET /healthz', { token: null })).toMatchObject({ status: 200, body: { ok: true } })
    expect(await ask('GET /readyz', { token: null })).toMatchObject({ status: 200, body: { ok: true } })
    expect(await ask('GET /version', { token: null })).toMatchObject({ status: 200, body: { name: 'postern' } })
    expect(await ask('GET /metrics', { token: null })).toMatchObject({ status: 401 })
  })

  it('count what was asked, for people and administrators', async () => {
    const { ask, token } = await openServer()
    await ask('POST /api/v1/agents', { body: { id: 'quinn' } })
    await ask('POST /api/v1/agents', { body: { id: 'justin', kind: 'human' } })
    await ask('POST /api/v1/inbox', { body: { to: ['quinn'], content: 'hello' } })
    await ask('POST /api/v1/spaces', { body: { id: 'alpha', name: 'Alpha', members: ['quinn', 'justin'] } })
    await ask('POST /api/v1/spaces/alpha/posts', { token: await token('human:justin'), body: { content: 'hello' } })
    const { key } = (await ask('POST /api/v1/services', { body: { name: 'jira', agent: 'quinn' } })).body
    const trigger = { text: '{"payload":1}', headers: { 'x-secret-key': key, 'idempotency-key': 'd1' } }
    for (let time = 0; time < 2; time++) {
      expect(await ask('POST /api/agents/quinn/trigger', trigger)).toMatchObject({ status: 202 })
    }
    await ask('GET /api/v1/agents/nobody')
    for (const own of [undefined, await token('human:justin')]) {
      const { text } = await ask('GET /metrics', own === undefined ? {} : { token: own })
      expect(text).toContain('postern_http_requests_total{operation="agents.add",status="2xx"} 2\n')
      expect(text).toContain('postern_http_requests_total{operation="agents.show",status="4xx"} 1\n')
      expect(text).toContain('postern_messages_pushed_total 3\n')
      expect(text).toContain('postern_deliveries{state="pending"} 3\n')
      expect(text).toMatch(/postern_http_request_duration_seconds_bucket\{le="\+Inf"\} \d+\n/)
    }
    expect(await ask('GET /metrics', { token: await token('agent:quinn') })).toMatchObject({ status: 403 })
  })

  it('describe every operation, for programs and for people, without scripts', async () => {
    const { ask } = await openServer()
    const { body } = await ask('GET /openapi.json', { token: null })
    expect(body.openapi).toBe('3.1.0')
    const page = await ask('GET /docs', { token: null })
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'/)
    expect(page.text).not.toContain('<script')
    for (const path of Object.keys(body.paths)) expect(page.text).toContain(path)
    expect(page.text).toContain('id="AGENT_NOT_FOUND"')
  })
})
