import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openLocal } from '../../test/helpers/open-local.ts'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { createMcpDoor } from './mcp-http.ts'
import type { Outcome } from './tools/tool-call.ts'

async function openDoor() {
  const postern = await openLocal(join(await temporaryFolder(), 'postern.db'), { upkeep: false })
  await postern.agents.add({ id: 'quinn' })
  const door = createMcpDoor({ postern, note: () => {} })
  let id = 0

  /** One request of an older client, whose answer arrives. */
  async function ask(method: string, params: object): Promise<string> {
    const hearers: ((outcome: Outcome) => void)[] = []
    const answer = await door.answer({
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }),
      tools: 'core',
      caller: { id: 'quinn', kind: 'ai', verified: true, via: 'http' },
      tokenId: 'tok_1',
      signal: new AbortController().signal,
      onSettled: (tell) => void hearers.push(tell),
    })
    const text = await answer.text()
    for (const tell of hearers) tell('sent')
    return text
  }
  const begin = () => {
    const clientInfo = { name: 'test', version: '1' }
    return ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  }
  const check = () => ask('tools/call', { name: 'inbox_check', arguments: {} })
  const acknowledge = (id: string) => ask('tools/call', { name: 'inbox_ack', arguments: { ids: [id] } })
  return { postern, door, begin, check, acknowledge }
}

test('what a client was shown is seen with its next call, and not by the beginning of another', async () => {
  const { postern, door, begin, check } = await openDoor()
  await begin()
  await postern.inbox.push({ to: ['quinn'], content: 'first-words' })
  expect(await check()).toContain('first-words')
  await begin()
  const again = await check()
  expect(again).toContain('first-words')
  expect(again).toContain('attempt 2')
  expect(await check()).not.toContain('first-words')
  expect((await postern.inbox.list({ agent: 'quinn', which: 'delivered' })).items).toMatchObject([{ state: 'seen' }])
  await door.close()
  await postern.close()
})

test('a client that begins anew for every call acknowledges what it was shown before', async () => {
  const { postern, door, begin, check, acknowledge } = await openDoor()
  const { id } = await postern.inbox.push({ to: ['quinn'], content: 'first-words' })
  await begin()
  expect(await check()).toContain('first-words')
  await begin()
  expect(await acknowledge(id)).toContain('acted')
  await begin()
  expect(await check()).not.toContain('first-words')
  await door.close()
  await postern.close()
})
