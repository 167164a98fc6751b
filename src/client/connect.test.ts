import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openLocal } from '../../test/helpers/open-local.ts'
import { ADMIN, type Received, startStub } from '../../test/helpers/server/stub-server.ts'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import type { Caller } from '../model/caller.ts'
import { PosternError } from '../model/errors.ts'
import { OPERATION_NAMES } from '../model/operations.ts'
import { type ConnectPostern, connectPostern } from './connect.ts'
import type { Fetch } from './transport.ts'

const HUSAM: Caller = { id: 'husam', kind: 'human', verified: true, via: 'http' }

async function connect(answer: (received: Received) => void, options: Partial<ConnectPostern> = {}) {
  const { url, received } = await startStub(answer)
  return { postern: await connectPostern({ url, token: 'pst_secret', ...options }), received, url }
}

function problem(code: string, details: object = {}) {
  return { type: `/docs#${code}`, title: code, status: 400, detail: 'in words', code, details, requestId: 'req_1' }
}

async function errorOf(attempt: Promise<unknown>): Promise<PosternError> {
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(PosternError)
  return error as PosternError
}

describe('a connected Postern', () => {
  it('has every method that one in this process has, and no other', async () => {
    const { postern } = await connect(({ json }) => json(null))
    const local = await openLocal(join(temporaryFolder(), 'postern.db'), { upkeep: false })
    onTestFinished(() => local.close())
    const methods = (made: object) =>
      Object.entries(made).flatMap(([room, verbs]) =>
        typeof verbs === 'object' && !['caller', 'hooks'].includes(room)
          ? Object.keys(verbs).map((verb) => `${room}.${verb}`)
          : [],
      )
    expect(methods(postern).sort()).toEqual(methods(local).sort())
    expect(methods(postern).sort()).toEqual([...OPERATION_NAMES].sort())
  })

  it('sends its token, and turns times into numbers where they come and leaves those of others alone', async () => {
    const at = Date.UTC(2026, 1, 3)
    const { postern, received } = await connect(({ json }) =>
      json({ id: 'quinn', createdAt: '2026-02-03T00:00:00.000Z', payload: { dueAt: '2026-02-03' } }),
    )
    expect(await postern.agents.show({ id: 'quinn' })).toEqual({
      id: 'quinn',
      createdAt: at,
      payload: { dueAt: '2026-02-03' },
    })
    expect(received[0]).toMatchObject({
      method: 'GET',
      path: '/api/v1/agents/quinn',
      headers: { authorization: 'Bearer pst_secret', accept: 'application/json' },
    })
    expect(received[0]?.headers['postern-as']).toBeUndefined()
  })

  it('is whom the token speaks for, until it is bound to another', async () => {
    const { postern, received } = await connect(({ json }) => json([]))
    expect(postern.caller).toEqual(ADMIN)
    const bound = postern.as({ ...HUSAM, via: 'prüfung' })
    expect(bound.caller).toEqual({ ...HUSAM, via: 'prüfung' })
    await bound.agents.list()
    expect(JSON.parse(String(received[0]?.headers['postern-as']))).toEqual({ ...HUSAM, via: 'prüfung' })
  })

  it('throws what the server refuses with', async () => {
    const { postern } = await connect(({ json }) => json(problem('AGENT_NOT_FOUND', { id: 'bill', hint: '' }), 404))
    const error = await errorOf(postern.agents.show({ id: 'bill' }))
    expect(error).toMatchObject({ code: 'AGENT_NOT_FOUND', details: { id: 'bill' }, http: 404, retryable: false })
    expect(error.message).toBe('There is no agent bill.')
  })

  it('calls internal what it does not know, also where it is named like a part of every object', async () => {
    for (const code of ['FROM_THE_FUTURE', 'toString']) {
      const { postern } = await connect(({ json }) => json(problem(code), 400))
      const error = await errorOf(postern.agents.list())
      expect(error.code).toBe('INTERNAL')
      expect(error.message).toContain(`${code}: in words`)
    }
  })

  it('says so where something else answers', async () => {
    const { postern, received } = await connect(({ path, response }) => {
      if (path.endsWith('held')) response.writeHead(502).end('<html>Bad gateway</html>')
      else if (path.endsWith('dead')) response.writeHead(404).end('<html>Not here</html>')
      else response.writeHead(200).end('<html>Sign in</html>')
    })
    expect(await errorOf(postern.inbox.held())).toMatchObject({ code: 'SERVER_UNAVAILABLE', retryable: true })
    expect(await errorOf(postern.inbox.dead())).toMatchObject({ code: 'INTERNAL' })
    expect(await errorOf(postern.agents.list())).toMatchObject({ code: 'SERVER_UNAVAILABLE' })
    expect(received).toHaveLength(3)
  })

  it('follows nobody who sends it elsewhere with its token', async () => {
    const other = await startStub(({ json }) => json([]))
    const { postern } = await connect(({ response }) => response.writeHead(307, { location: `${other.url}/a` }).end())
    expect(await errorOf(postern.agents.list())).toMatchObject({ code: 'SERVER_UNAVAILABLE' })
    expect(other.received).toEqual([])
  })

  it('says that a server is away, and that it may be there again', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    const error = await errorOf(connectPostern({ url: `http://127.0.0.1:${port}`, token: 'pst_secret' }))
    expect(error).toMatchObject({ code: 'SERVER_UNAVAILABLE', retryable: true })
    expect(error.message).toBe(`The server http://127.0.0.1:${port} cannot be reached: ECONNREFUSED.`)
  })

  it('gives up on an answer that does not come', async () => {
    const silent: typeof fetch = (url, init) =>
      String(url).endsWith('/caller')
        ? Promise.resolve(Response.json({ caller: ADMIN }))
        : new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
    const postern = await connectPostern({ url: 'http://127.0.0.1:1', fetch: silent, timeoutMs: 150 })
    const error = await errorOf(postern.agents.list())
    expect(error).toMatchObject({ code: 'SERVER_UNAVAILABLE', details: { reason: 'no answer came within 0.2s' } })
  })

  it('ends what is under way when it is closed, for everybody bound to it', async () => {
    const { postern } = await connect(() => {})
    const under = errorOf(postern.as(HUSAM).inbox.wait({ agent: 'quinn' }))
    await postern.close()
    expect(await under).toMatchObject({ code: 'SERVER_UNAVAILABLE' })
    expect(await errorOf(postern.agents.list())).toMatchObject({
      details: { reason: 'the connection to it was closed' },
    })
  })

  it('lets go of its connections when it is closed, and where nobody answers', async () => {
    let closed = 0
    const ofItsOwn = () =>
      Object.assign((...[url, asked]: Parameters<Fetch>) => fetch(url, asked), { close: () => void closed++ })
    const { postern } = await connect(({ json }) => json({}), { fetch: ofItsOwn() })
    expect(closed).toBe(0)
    await postern.close()
    expect(closed).toBe(1)
    await errorOf(connectPostern({ url: 'http://127.0.0.1:1', token: 'pst_secret', fetch: ofItsOwn() }))
    expect(closed).toBe(2)
  })

  it('refuses addresses that are none, and never shows a password', async () => {
    for (const url of ['', 'postern', 'ftp://a', 'http://me:secret@127.0.0.1:1', 'http://a/?b=c']) {
      const error = await errorOf(connectPostern({ url, token: 't' }))
      expect(error.code).toBe('VALUE_INVALID')
      expect(error.message).not.toContain('secret')
    }
  })

  it('neither sends nor shows what cannot be a token', async () => {
    const { url, received } = await startStub(({ json }) => json({ caller: ADMIN }))
    for (const token of ['', 'pst_sec\nret', 'pst_secret\0', 'pst_s\u00e9cret', 'pst_secret pst_other']) {
      const { code, message, cause } = await errorOf(connectPostern({ url, token }))
      expect([code, cause]).toEqual(['NOT_AUTHENTICATED', undefined])
      expect(message).not.toContain('pst_')
    }
    expect(received).toEqual([])
  })

  it('finds a server below a path', async () => {
    const { url, received } = await startStub(({ path, json }) =>
      json(path.endsWith('/caller') ? { caller: ADMIN } : []),
    )
    const postern = await connectPostern({ url: `${url}/behind/a/proxy/`, token: 't' })
    await postern.agents.list()
    expect(received.map(({ path }) => path)).toEqual(['/behind/a/proxy/api/v1/caller', '/behind/a/proxy/api/v1/agents'])
  })
})
