import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { openServer } from '../../../test/helpers/http-server.ts'

const CHECK = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'inbox_check', arguments: {} } }
const ACCEPT = 'application/json, text/event-stream'

async function open() {
  const { ask, url, served } = await openServer()
  const { postern } = served
  await postern.agents.add({ id: 'quinn' })
  const { token } = await postern.tokens.create({ scope: 'agent:quinn' })
  const { id } = await postern.inbox.push({ to: ['quinn'], content: 'words-of-mail' })
  const stateOf = async () => (await postern.inbox.trace({ id })).deliveries[0]
  const check = async () => (await ask('POST /mcp', { token, headers: { accept: ACCEPT }, body: CHECK })).text
  return { url, token, stateOf, check }
}

it('shows again what a client has not read that dies with the answer in its hands', async () => {
  const { url, token, stateOf, check } = await open()
  const body = JSON.stringify(CHECK)
  const socket = connect(Number(new URL(url).port), '127.0.0.1').pause()
  socket.write(
    [
      'POST /mcp HTTP/1.1',
      `Host: ${new URL(url).host}`,
      `Authorization: Bearer ${token}`,
      `Accept: ${ACCEPT}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  )
  await expect.poll(async () => (await stateOf())?.printedAt).not.toBe(null)
  socket.resetAndDestroy()
  await once(socket, 'close')
  await expect.poll(async () => (await stateOf())?.state).toBe('pending')
  expect(await check()).toContain('words-of-mail')
})

it('has shown for good what a client goes on after', async () => {
  const { stateOf, check } = await open()
  expect(await check()).toContain('words-of-mail')
  expect(await check()).not.toContain('words-of-mail')
  expect(await stateOf()).toMatchObject({ state: 'seen', attempt: 1 })
})
