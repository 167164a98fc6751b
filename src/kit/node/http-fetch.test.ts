import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createHttpFetch, type HttpRequest } from './http-fetch.ts'

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function asking(asked: Partial<HttpRequest> = {}): HttpRequest {
  return { method: 'GET', headers: {}, signal: new AbortController().signal, ...asked }
}

async function failureOf(attempt: Promise<unknown>): Promise<TypeError> {
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(TypeError)
  return error as TypeError
}

it('sends a body whole, and reads the answer as text', async () => {
  const url = await serve(async (request, response) => {
    let body = ''
    for await (const piece of request.setEncoding('utf8')) body += piece
    response.writeHead(201).end(JSON.stringify({ method: request.method, type: request.headers['content-type'], body }))
  })
  const headers = { 'Content-Type': 'text/plain' }
  const response = await createHttpFetch()(url, asking({ method: 'POST', headers, body: 'grüße' }))
  expect(response).toMatchObject({ ok: true, status: 201 })
  expect(JSON.parse(await response.text())).toEqual({ method: 'POST', type: 'text/plain', body: 'grüße' })
})

it.each([
  ['', '/'],
  ['/', '/'],
  ['?a=b', '/?a=b'],
  ['/a/b%20c?d=%2F&e', '/a/b%20c?d=%2F&e'],
  ['/grüße?x y', '/gr%C3%BC%C3%9Fe?x%20y'],
  ['/a#b', '/a'],
])('asks for %j as %j, on one server after the other', async (written, asked) => {
  const fetch = createHttpFetch()
  for (let server = 0; server < 2; server++) {
    const url = await serve((request, response) => response.end(`${server} ${request.url}`))
    expect(await (await fetch(`${url}${written}`, asking())).text()).toBe(`${server} ${asked}`)
  }
})

it('is not content with a refusal, and reads that too', async () => {
  const url = await serve((_, response) => response.writeHead(404).end('nobody'))
  const response = await createHttpFetch()(url, asking())
  expect(response).toMatchObject({ ok: false, status: 404 })
  expect(await response.text()).toBe('nobody')
})

it('asks again over the connection that it has', async () => {
  const ports = new Set<number | undefined>()
  const url = await serve(({ socket }, response) => {
    ports.add(socket.remotePort)
    response.end()
  })
  const fetch = createHttpFetch()
  for (let i = 0; i < 3; i++) await (await fetch(url, asking())).text()
  expect(ports.size).toBe(1)
})

it('hands over pieces as they come, and says when there are no more', async () => {
  const url = await serve((_, response) => {
    response.write('one')
    response.write('two')
    setImmediate(() => response.end('three'))
  })
  const reader = (await createHttpFetch()(url, asking())).body.getReader()
  let text = ''
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) text += Buffer.from(piece.value)
  expect(text).toBe('onetwothree')
})

it('says why a connection could not be made', async () => {
  const { cause } = await failureOf(createHttpFetch()('http://127.0.0.1:1', asking()))
  expect(cause).toMatchObject({ code: 'ECONNREFUSED' })
})

it('takes no part of an answer for the whole', async () => {
  const url = await serve((_, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('the beginning')
    setImmediate(() => response.destroy())
  })
  await failureOf((await createHttpFetch()(url, asking())).text())
})

it('follows no redirect', async () => {
  let asked = 0
  const url = await serve((_, response) => {
    asked++
    response.writeHead(307, { location: '/elsewhere' }).end()
  })
  await failureOf(createHttpFetch()(url, asking()))
  expect(asked).toBe(1)
})

it('stops with its signal, before the answer and in the middle of it', async () => {
  const url = await serve(({ url: path }, response) => void (path === '/begun' && response.write('the beginning')))
  const waiting = new AbortController()
  const late = createHttpFetch()(`${url}/never`, asking({ signal: waiting.signal }))
  waiting.abort()
  await failureOf(late)
  const reading = new AbortController()
  const begun = await createHttpFetch()(`${url}/begun`, asking({ signal: reading.signal }))
  const text = begun.text()
  reading.abort()
  await failureOf(text)
})

it('takes for no answer what was given up before it was read', async () => {
  const url = await serve((_, response) => response.end('everything'))
  const reading = new AbortController()
  const text = (await createHttpFetch()(url, asking({ signal: reading.signal }))).text()
  reading.abort()
  await failureOf(text)
})

it('ends its connections when it is closed', async () => {
  const sockets = new Set<Socket>()
  const url = await serve(({ socket }, response) => {
    sockets.add(socket)
    response.end()
  })
  const fetch = createHttpFetch()
  for (const response of await Promise.all([fetch(url, asking()), fetch(url, asking())])) await response.text()
  fetch.close()
  await expect.poll(() => [...sockets].map(({ destroyed }) => destroyed)).toEqual([true, true])
})
