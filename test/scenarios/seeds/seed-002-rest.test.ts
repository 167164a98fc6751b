import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectPostern } from '../../../src/client/connect.ts'
import { openServer } from '../../helpers/http-server.ts'
import { connectSse } from '../../helpers/sse-client.ts'
import { verifies } from '../verifies.ts'

const PLACE = { project_id: 'conductor-loop', task_id: 'task-20260205-docs' } as const
const QUERY = `project_id=${PLACE.project_id}&task_id=${PLACE.task_id}`

/** The example of the seed, as its writers leave it in a file. */
const EXAMPLE = `---
msg_id: MSG-20260205-123456-123456789-PID01234-0001
ts: 2026-02-05T12:34:56Z
type: ISSUE
project_id: conductor-loop
task_id: task-20260205-docs
run_id: run_20260205-123456-12345
issue_id: ISSUE-1
parents:
  - msg_id: MSG-20260205-120000-000000001-PID01234-0001
    kind: depends_on
attachments:
  - path: attachments/logs/run-stdout.txt
    kind: log
    label: agent stdout
meta:
  agent_type: codex
---
Need update unit tests before release.
`

describe('the REST API of seed 002', () => {
  it('reads with full headers and body, and does not know an unknown after', async () => {
    verifies('S002.rest.read')
    const { ask, busRoot } = await openServer()
    const folder = join(busRoot, PLACE.project_id, PLACE.task_id)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'TASK-MESSAGE-BUS.md'), EXAMPLE)
    const { body } = await ask(`GET /api/v1/messages?${QUERY}`)
    expect(body).toEqual([
      {
        msg_id: 'MSG-20260205-123456-123456789-PID01234-0001',
        ts: '2026-02-05T12:34:56Z',
        type: 'ISSUE',
        ...PLACE,
        run_id: 'run_20260205-123456-12345',
        issue_id: 'ISSUE-1',
        parents: [{ msg_id: 'MSG-20260205-120000-000000001-PID01234-0001', kind: 'depends_on' }],
        attachments: [{ path: 'attachments/logs/run-stdout.txt', kind: 'log', label: 'agent stdout' }],
        meta: { agent_type: 'codex' },
        body: 'Need update unit tests before release.',
      },
    ])
    expect((await ask(`GET /api/v1/messages?${QUERY}&after=${body[0].msg_id}`)).body).toEqual([])
    expect(await ask(`GET /api/v1/messages?${QUERY}&after=MSG-unknown`)).toMatchObject({ status: 404 })
    expect(await ask('GET /api/v1/messages?project_id=unknown')).toMatchObject({ status: 404 })
  })

  it('posts with message or body, at either path', async () => {
    verifies('S002.rest.post')
    const { ask, busRoot } = await openServer()
    for (const path of ['/api/v1/messages', '/api/v1/bus']) {
      const answer = await ask(`POST ${path}`, { body: { ...PLACE, message: `at ${path}` } })
      expect(answer).toMatchObject({
        status: 201,
        body: { msg_id: expect.stringMatching(/^MSG-\d{8}-\d{6}-\d{9}-PID\d{5,}-\d{4}$/) },
      })
    }
    const said = { body: 'for every task', type: 'FACT', meta: { status: 'known' } }
    expect(await ask(`POST /api/projects/${PLACE.project_id}/messages`, { body: said })).toMatchObject({ status: 201 })
    const file = join(busRoot, PLACE.project_id, PLACE.task_id, 'TASK-MESSAGE-BUS.md')
    expect(readFileSync(file, 'utf8').match(/^type: USER$/gm)).toHaveLength(2)
    expect((await ask(`GET /api/projects/${PLACE.project_id}/messages`)).body).toMatchObject([said])
  })

  it('streams messages with ids, so that a client goes on where it was', async () => {
    verifies('S002.rest.stream')
    const { ask, url, token } = await openServer()
    const post = async (message: string) =>
      (await ask('POST /api/v1/messages', { body: { ...PLACE, message } })).body.msg_id
    const first = await post('one')
    const follow = async (lastId?: string) => {
      const options = { token: await token(), path: '/api/v1/messages/stream', query: `?${QUERY}` }
      const stream = await connectSse(url, { ...options, ...(lastId !== undefined && { lastId }) })
      onTestFinished(() => stream.close())
      return stream
    }
    const stream = await follow(first)
    const second = await post('two')
    await stream.until(({ length }) => length === 1)
    expect(stream.events).toMatchObject([{ event: 'message', id: second }])
    const data = JSON.parse(stream.events[0]?.data ?? '')
    expect(data).toMatchObject({ msg_id: second, content: 'two', timestamp: expect.stringMatching(/Z$/), type: 'USER' })
    stream.close()
    const third = await post('three')
    const back = await follow(second)
    await back.until(({ length }) => length === 1)
    expect(back.events.map(({ id }) => id)).toEqual([third])
  })
})

describe('a client whose connection breaks', () => {
  it('posts once what it sends twice', async () => {
    verifies('S002.rest.once')
    const { url, token, served } = await openServer()
    const forgetful = await startForgetful(url)
    const postern = await connectPostern({ url: forgetful.url, token: await token() })
    onTestFinished(() => postern.close())
    const { msg_id } = await postern.bus.post({ ...PLACE, body: 'once' })
    expect(forgetful.posts()).toBe(2)
    const { items } = await served.postern.bus.read(PLACE)
    expect(items).toMatchObject([{ msg_id, body: 'once' }])
  })
})

/** Stands between, and drops the first answer to a POST when it has come. */
async function startForgetful(url: string): Promise<{ readonly url: string; posts(): number }> {
  let posts = 0
  const server = createServer((incoming, response) => {
    const headers = { ...incoming.headers, host: new URL(url).host }
    const outgoing = request(`${url}${incoming.url}`, { method: incoming.method, headers, agent: false }, (answer) => {
      const isLost = incoming.method === 'POST' && ++posts === 1
      if (isLost) return void answer.resume().on('end', () => incoming.socket.destroy())
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(response)
    })
    incoming.pipe(outgoing)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, posts: () => posts }
}
