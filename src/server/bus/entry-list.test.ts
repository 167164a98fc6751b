import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openServer, type TestServer } from '../../../test/helpers/http-server.ts'
import { BUS_LIMITS } from '../../model/bus/entry.ts'

const TASK = 'project_id=p&task_id=t'

async function post(server: TestServer, count: number, fields: object = {}): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) {
    const body = { project_id: 'p', task_id: 't', body: `${i}`, ...fields }
    ids.push((await server.ask('POST /api/v1/messages', { body })).body.msg_id)
  }
  return ids
}

const idsOf = (entries: readonly { readonly msg_id: string }[]) => entries.map(({ msg_id }) => msg_id)

describe('reading over HTTP', () => {
  it('answers with a list of entries with all their headers', async () => {
    const server = await openServer()
    const said = {
      type: 'ISSUE',
      issue_id: 'ISSUE-1',
      run_id: 'run_1',
      parents: [{ msg_id: 'MSG-20260205-120000-000000001-PID01234-0001', kind: 'depends_on' }],
      links: [{ kind: 'output', path: '/a/output.md' }],
      meta: { agent_type: 'codex', startedAt: 7 },
      body: 'Need update unit tests before release.\n---\n',
    }
    const [msg_id] = await post(server, 1, said)
    for (const path of [`/api/v1/messages?${TASK}`, '/api/projects/p/tasks/t/messages']) {
      const answer = await server.ask(`GET ${path}`)
      expect(answer).toMatchObject({ status: 200, headers: { 'x-postern-cursor': msg_id } })
      expect(answer.headers['link']).toBeUndefined()
      expect(answer.body).toEqual([
        { msg_id, ts: expect.stringMatching(/^\d{4}-.*Z$/), project_id: 'p', task_id: 't', ...said },
      ])
    }
  })

  it('answers clients of ours with a page', async () => {
    const server = await openServer()
    const ids = await post(server, 3)
    const { body } = await server.ask(`GET /api/v1/bus?${TASK}&limit=2`)
    expect(body).toMatchObject({ cursor: ids[1], hasMore: true, hasGap: false, faults: [] })
    expect(idsOf(body.items)).toEqual(ids.slice(0, 2))
  })

  it('says in headers where to go on, until there is no more', async () => {
    const server = await openServer()
    const ids = await post(server, 7)
    const read: string[] = []
    let path: string | undefined = `/api/projects/p/tasks/t/messages?limit=3&types=USER`
    for (let pages = 0; path !== undefined; pages++) {
      const { body, headers }: Awaited<ReturnType<TestServer['ask']>> = await server.ask(`GET ${path}`)
      read.push(...idsOf(body))
      expect(headers['x-postern-cursor']).toBe(read.at(-1))
      path = /^<(.*)>; rel="next"$/.exec(String(headers['link'] ?? ''))?.[1]
      expect(pages).toBeLessThan(3)
    }
    expect(read).toEqual(ids)
  })

  it('goes on after an entry whose id is no plain text', async () => {
    const server = await openServer()
    const [last] = await post(server, 1)
    const path = join(server.busRoot, 'p', 't', 'TASK-MESSAGE-BUS.md')
    const header = 'msg_id: a b > 7% é\nts: 2026-02-05T12:34:56Z\ntype: FACT\nproject_id: p'
    writeFileSync(path, `---\n${header}\n---\nforeign\n${readFileSync(path, 'utf8')}`)
    const { body, headers } = await server.ask(`GET /api/v1/messages?${TASK}&limit=1`)
    expect(idsOf(body)).toEqual(['a b > 7% é'])
    const next = /^<(.*)>; rel="next"$/.exec(String(headers['link']))?.[1]
    for (const path of [next, `/api/v1/messages?${TASK}&after=${headers['x-postern-cursor']}`]) {
      expect(idsOf((await server.ask(`GET ${path}`)).body)).toEqual([last])
    }
  })

  it('names no cursor that is longer than a header can be', async () => {
    const server = await openServer()
    await post(server, 1)
    const header = `msg_id: ${'é'.repeat(5_000)}\nts: 2026-02-05T12:34:56Z\ntype: FACT\nproject_id: p`
    appendFileSync(join(server.busRoot, 'p', 't', 'TASK-MESSAGE-BUS.md'), `---\n${header}\n---\nlong\n`)
    const { body, headers } = await server.ask(`GET /api/v1/messages?${TASK}`)
    expect(body).toHaveLength(2)
    expect(headers).not.toHaveProperty('x-postern-cursor')
  })

  it('takes what comes after an entry, the last ones, and two buses in one', async () => {
    const server = await openServer()
    const ids = await post(server, 4)
    const { msg_id } = (await server.ask('POST /api/projects/p/messages', { body: { message: 'for all tasks' } })).body
    const read = async (query: string) => idsOf((await server.ask(`GET /api/v1/messages?${TASK}&${query}`)).body)
    expect(await read(`after=${ids[1]}`)).toEqual(ids.slice(2))
    expect(await read('tail=2')).toEqual(ids.slice(2))
    expect(await read('tail=0')).toEqual(ids)
    const { body, headers } = await server.ask(`GET /api/v1/messages?${TASK}&merged=true`)
    expect(idsOf(body).sort()).toEqual([...ids, msg_id].sort())
    expect(headers['x-postern-cursor']).toBe(`${msg_id},${ids.at(-1)}`)
    expect(await read(`merged=true&after=${headers['x-postern-cursor']}`)).toEqual([])
    expect(idsOf((await server.ask('GET /api/projects/p/messages')).body)).toEqual([msg_id])
  })

  it('knows neither what is not there nor what is no id', async () => {
    const server = await openServer()
    await post(server, 1)
    const refused: [path: string, status: number, code: string][] = [
      [`/api/v1/messages?${TASK}&after=MSG-20200101-000000-000000000-PID00001-0001`, 404, 'BUS_ENTRY_NOT_FOUND'],
      ['/api/v1/messages?project_id=q', 404, 'BUS_NOT_FOUND'],
      ['/api/projects/p/tasks/u/messages', 404, 'BUS_NOT_FOUND'],
      ['/api/v1/messages', 422, 'INPUT_INVALID'],
      [`/api/v1/messages?${TASK}&colour=red`, 422, 'INPUT_INVALID'],
      ...HOSTILE.map((id): [string, number, string] => [`/api/projects/${id}/messages`, 422, 'BUS_ID_INVALID']),
      ...HOSTILE.map((id): [string, number, string] => [`/api/v1/messages?project_id=${id}`, 422, 'BUS_ID_INVALID']),
    ]
    for (const [path, status, code] of refused) {
      const answer = await server.ask(`GET ${path}`)
      expect(answer, path.slice(0, 100)).toMatchObject({ status, body: { code } })
      expect(answer.headers['content-type']).toContain('application/problem+json')
    }
  })

  it('tells how much could not be read, and not where the files lie', async () => {
    const server = await openServer()
    const [first] = await post(server, 1)
    const path = join(server.busRoot, 'p', 't', 'TASK-MESSAGE-BUS.md')
    writeFileSync(path, `${readFileSync(path, 'utf8')}---\nmsg_id: MSG-1\nts: [\n---\nbroken\n`)
    const [second] = await post(server, 1)
    const { body, headers } = await server.ask(`GET /api/v1/messages?${TASK}`)
    expect(idsOf(body)).toEqual([first, second])
    expect(Number(headers['x-postern-faults'])).toBeGreaterThan(0)
    mkdirSync(join(server.busRoot, 'p', 'PROJECT-MESSAGE-BUS.md'))
    const answer = await server.ask('GET /api/projects/p/messages')
    expect(answer.body).toMatchObject({ code: 'BUS_UNUSABLE', details: { path: 'PROJECT-MESSAGE-BUS.md' } })
    expect(answer.text).not.toContain(server.busRoot)
  })
})

/** As they stand in a URL. */
const HOSTILE = ['..%2f..%2fetc', '%2e%2e', 'a%2fb', 'a%00b', 'x'.repeat(4_096), '-p', '%20', 'a..b']

describe('posting over HTTP', () => {
  it('writes at every path, a body by either name, as USER where nothing is said', async () => {
    const server = await openServer()
    const posted: [string, object][] = [
      ['/api/v1/bus', { project_id: 'p', task_id: 't', body: 'one' }],
      ['/api/v1/messages', { project_id: 'p', task_id: 't', message: 'two', type: 'FACT' }],
      ['/api/projects/p/tasks/t/messages', { message: 'three' }],
    ]
    for (const [path, body] of posted) {
      const answer = await server.ask(`POST ${path}`, { body })
      expect(answer, path).toMatchObject({ status: 201, body: { msg_id: expect.stringMatching(/^MSG-\d{8}-/) } })
    }
    const { body } = await server.ask(`GET /api/v1/messages?${TASK}`)
    expect(body.map(({ type, body }: { type: string; body: string }) => [type, body])).toEqual([
      ['USER', 'one'],
      ['FACT', 'two'],
      ['USER', 'three'],
    ])
    expect(readFileSync(join(server.busRoot, 'p', 't', 'TASK-MESSAGE-BUS.md'), 'utf8')).toContain('three')
    const answer = await server.ask('POST /api/projects/p/messages', { body: { project_id: 'q', body: 'x' } })
    expect(answer).toMatchObject({ status: 422, body: { code: 'INPUT_INVALID' } })
  })

  it('says who has written', async () => {
    const server = await openServer()
    await server.served.postern.agents.add({ id: 'quinn' })
    const token = await server.token('agent:quinn')
    const say = (meta: object) => server.ask('POST /api/projects/p/messages', { token, body: { body: 'hello', meta } })
    expect(await say({ from: 'justin' })).toMatchObject({ status: 422, body: { code: 'BUS_ENTRY_INVALID' } })
    expect(await say({ mood: 'good' })).toMatchObject({ status: 201 })
    const { body } = await server.ask('GET /api/projects/p/messages')
    expect(body).toMatchObject([{ meta: { mood: 'good', from: 'quinn', from_verified: true } }])
  })

  it('takes bodies of 256 KB, whatever is in them, and refuses larger ones', async () => {
    const server = await openServer()
    const limit = BUS_LIMITS.bodyBytes
    for (const character of ['x', '\u0001']) {
      const answer = await server.ask('POST /api/projects/p/messages', { body: { body: character.repeat(limit) } })
      expect(answer.status, answer.text).toBe(201)
      expect(answer.body.warnings).toHaveLength(1)
    }
    const before = readFileSync(join(server.busRoot, 'p', 'PROJECT-MESSAGE-BUS.md'))
    const refused: [size: number, code: string][] = [
      [limit + 1, 'BUS_BODY_TOO_LARGE'],
      [3 * 1024 * 1024, 'BODY_TOO_LARGE'],
    ]
    for (const [size, code] of refused) {
      const answer = await server.ask('POST /api/projects/p/messages', { body: { body: 'x'.repeat(size) } })
      expect(answer).toMatchObject({ status: 413, body: { code } })
      expect(answer.headers['content-type']).toContain('application/problem+json')
    }
    expect(readFileSync(join(server.busRoot, 'p', 'PROJECT-MESSAGE-BUS.md')).equals(before)).toBe(true)
    const other = await server.ask('POST /api/v1/inbox', { body: { to: ['q'], content: 'x'.repeat(300 * 1024) } })
    expect(other).toMatchObject({ status: 413, body: { code: 'BODY_TOO_LARGE' } })
  })

  it('refuses what is far too large before it has come', async () => {
    const server = await openServer()
    const declared = await send(server, { 'content-length': String(300 * 1024 * 1024) })
    expect(declared).toMatchObject({ status: 413, sent: 0 })
    const streamed = await send(server, { 'transfer-encoding': 'chunked' })
    expect(streamed.status).toBe(413)
    expect(streamed.sent).toBeLessThan(64 * 1024 * 1024)
    expect(existsSync(server.busRoot)).toBe(false)
  })

  it('makes nothing for ids that are none', async () => {
    const server = await openServer()
    for (const id of HOSTILE) {
      const value = decodeURIComponent(id)
      const tried = [
        await server.ask(`POST /api/projects/${id}/messages`, { body: { body: 'x' } }),
        await server.ask(`POST /api/projects/p/tasks/${id}/messages`, { body: { body: 'x' } }),
        await server.ask('POST /api/v1/messages', { body: { project_id: value, body: 'x' } }),
        await server.ask('POST /api/v1/bus', { body: { project_id: 'p', task_id: value, body: 'x' } }),
      ]
      for (const answer of tried) {
        expect(answer, value.slice(0, 20)).toMatchObject({ status: 422, body: { code: 'BUS_ID_INVALID' } })
      }
    }
    expect(existsSync(server.busRoot)).toBe(false)
  })

  it('writes once what is sent twice under one key', async () => {
    const server = await openServer()
    const send = (body: string) =>
      server.ask('POST /api/projects/p/messages', { headers: { 'idempotency-key': 'k' }, body: { body } })
    const [first, second] = [await send('once'), await send('once')]
    expect(second).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' }, body: first.body })
    expect(await send('other')).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_CONFLICT' } })
    expect((await server.ask('GET /api/projects/p/messages')).body).toHaveLength(1)
  })
})

describe('a service', () => {
  it('may neither write on a bus nor read or follow one', async () => {
    const server = await openServer()
    await server.served.postern.agents.add({ id: 'ci', kind: 'service' })
    const token = await server.token('service:ci')
    await post(server, 1)
    for (const route of [
      `GET /api/v1/bus?${TASK}`,
      `GET /api/v1/messages?${TASK}`,
      `GET /api/v1/messages/stream?${TASK}`,
      'POST /api/projects/p/messages',
    ]) {
      const answer = await server.ask(route, { token, ...(route.startsWith('POST') && { body: { body: 'x' } }) })
      expect(answer, route).toMatchObject({ status: 403, body: { code: 'NOT_ALLOWED' } })
    }
  })
})

/** Sends as much as is taken, up to 300 MB, and tells what was answered and how much went out before. */
async function send(server: TestServer, headers: Record<string, string>): Promise<{ status: number; sent: number }> {
  const token = await server.token()
  return new Promise((resolve, reject) => {
    let sent = 0
    let isAnswered = false
    const outgoing = request(`${server.url}/api/projects/p/messages`, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    })
    outgoing.on('response', (response) => {
      isAnswered = true
      response.resume()
      resolve({ status: response.statusCode ?? 0, sent })
      outgoing.destroy()
    })
    outgoing.on('error', (error) => !isAnswered && reject(error))
    const chunk = Buffer.alloc(64 * 1024, 'x')
    const write = () => {
      while (!isAnswered && sent < 300 * 1024 * 1024) {
        sent += chunk.length
        if (!outgoing.write(chunk)) return void outgoing.once('drain', write)
      }
    }
    if (headers['content-length'] === undefined) write()
    else outgoing.flushHeaders()
  })
}
