import { describe, expect, it } from 'vitest'
import { openServer, type TestServer } from '../../helpers/http-server.ts'
import { askMcp, type McpReply } from '../../helpers/mcp/http-client.ts'
import { dataOf, type Era, textOf } from '../../helpers/mcp/raw-client.ts'
import { verifies } from '../verifies.ts'

/** A server with the agents quinn and mindy, a person and a service. */
async function prepare(): Promise<TestServer> {
  const server = await openServer()
  const { agents } = server.served.postern
  await agents.add({ id: 'quinn' })
  await agents.add({ id: 'mindy' })
  await agents.add({ id: 'justin', kind: 'human', isOwner: true })
  await agents.add({ id: 'ci', kind: 'service' })
  return server
}

/** Somebody with a token, who calls tools in one of the eras. */
function caller(url: string, token: string | null, era: Era = 'modern') {
  const request = (method: string, params = {}) => askMcp({ url, token, era, method, params })
  const call = (name: string, input: object = {}) => request('tools/call', { name, arguments: input })
  return {
    request,
    call,
    async done<T>(name: string, input: object = {}): Promise<T> {
      const { message, answer } = await call(name, input)
      if (!message) throw new Error(`${answer.status}: ${answer.text}`)
      return dataOf<T>(message)
    },
    /** The words in which a tool refuses. */
    async refused(name: string, input: object = {}): Promise<string> {
      const { message } = await call(name, input)
      expect(message?.result, name).toMatchObject({ isError: true })
      return textOf(message!)
    },
  }
}

interface Checked {
  readonly messages: readonly { readonly id: string; readonly from: string; readonly trust: string }[]
}

describe('an agent with a token', () => {
  for (const era of ['legacy', 'modern'] as const) {
    it(`talks to another, verified, and each request confirms what was shown before it (${era})`, async () => {
      verifies('mcp.talk', 'mcp.identity')
      const server = await prepare()
      const quinn = caller(server.url, await server.token('agent:quinn'), era)
      const mindy = caller(server.url, await server.token('agent:mindy'), era)
      const letter = {
        to_agent: 'mindy',
        message_type: 'fyi',
        subject: 'x',
        payload: { text: 'Hello' },
        dedup_key: 'k',
      }
      type Sent = { messages: { message_id: string; duplicate: boolean }[] }
      const [first] = (await quinn.done<Sent>('send_message', letter)).messages
      const id = first?.message_id ?? ''
      expect((await quinn.done<Sent>('send_message', letter)).messages).toMatchObject([
        { message_id: id, duplicate: true },
      ])
      const stateOf = async () => {
        const { receipts } = await quinn.done<{ receipts: { state: string }[] }>('message_read', { id })
        return receipts[0]?.state
      }
      expect(await mindy.done<Checked>('inbox_check')).toMatchObject({
        messages: [{ id, from: 'quinn', trust: 'verified' }],
      })
      expect(await stateOf()).toBe('offered')
      await mindy.done('agent_list')
      expect(await stateOf()).toBe('seen')
      await mindy.done('inbox_ack', { ids: [id] })
      expect(await stateOf()).toBe('acted')
    })
  }

  it('sees nothing that is not its own, by whatever way it asks', async () => {
    verifies('mcp.identity')
    const server = await prepare()
    const { postern } = server.served
    const [quinn, mindy] = [
      caller(server.url, await server.token('agent:quinn')),
      caller(server.url, await server.token('agent:mindy')),
    ]
    const { id } = await postern.inbox.push({ to: ['mindy'], content: 'For mindy alone' })
    const question = { question: 'May mindy?', ask: ['justin'], options: [{ key: 'yes', label: 'Yes' }] }
    const asked = await mindy.done<{ id: string; gateId: string }>('decision_create', question)
    expect(await quinn.refused('message_read', { id })).toMatch(/\[MESSAGE_NOT_FOUND\]$/)
    expect(await quinn.refused('inbox_ack', { ids: [id] })).toMatch(/\[MESSAGE_NOT_FOUND\]$/)
    expect(await quinn.refused('decision_get', { id: asked.id })).toMatch(/\[[A-Z_]+\]$/)
    expect(await quinn.done('message_search', { query: 'alone' })).toMatchObject({ ids: [] })
    expect(await quinn.done('gate_list', { all: true })).toEqual({ text: 'Nothing holds you.', gates: [] })
    for (const who of [quinn, mindy]) {
      expect(await who.refused('gate_resolve', { id: asked.gateId, reason: 'I say so' })).toMatch(/\[[A-Z_]+\]$/)
    }
    for (const path of ['inbox/mindy', `thread/${id}`, `decision/${asked.id}`]) {
      const { message } = await quinn.request('resources/read', { uri: `postern://${path}` })
      expect(message, path).toHaveProperty('error')
      expect(message?.error?.message, path).toMatch(/\[[A-Z_]+\]$/)
      expect(JSON.stringify(message), path).not.toMatch(/alone|May mindy/)
    }
    expect(await postern.decisions.show({ id: asked.id })).toMatchObject({ state: 'open' })
  })

  it('is not shown again what an answer carried that arrived, whichever of its requests comes next', async () => {
    verifies('mcp.identity')
    const server = await prepare()
    const token = await server.token('agent:quinn')
    const [one, other] = [caller(server.url, token), caller(server.url, token, 'legacy')]
    await server.served.postern.inbox.push({ to: ['quinn'], content: 'one' })
    expect((await one.done<Checked>('inbox_check')).messages).toHaveLength(1)
    expect((await other.done<Checked>('inbox_check')).messages).toEqual([])
    const { items } = await server.served.postern.inbox.list({ agent: 'quinn', which: 'all' })
    expect(items).toMatchObject([{ state: 'seen' }])
  })
})

describe('a token', () => {
  it('of an administrator is told what to do', async () => {
    verifies('mcp.identity')
    const server = await prepare()
    const admin = caller(server.url, await server.token('admin'))
    const said = words(await admin.call('agent_list'))
    expect(said).toMatch(/token of that agent|--agent/)
    expect(said).toContain('postern token create')
  })

  it('that is none, or is good no more, gets nothing', async () => {
    verifies('mcp.identity')
    const server = await prepare()
    for (const token of [null, '', `pst_${'A'.repeat(43)}`]) {
      const { status, message } = await caller(server.url, token).call('agent_list')
      expect([status, message]).toEqual([401, undefined])
    }
    const { postern } = server.served
    const { id, token } = await postern.tokens.create({ scope: 'agent:quinn' })
    const quinn = caller(server.url, token)
    expect(await quinn.done('agent_list')).toHaveProperty('agents')
    await postern.inbox.push({ to: ['quinn'], content: 'too late' })
    await postern.tokens.revoke({ id })
    expect(await quinn.call('inbox_check')).toMatchObject({ status: 401, message: undefined })
    const { items } = await postern.inbox.list({ agent: 'quinn' })
    expect(items).toMatchObject([{ state: 'pending', attempt: 0 }])
  })

  it('that is revoked while its call waits gets no answer, and loses nothing', async () => {
    verifies('mcp.identity')
    const server = await prepare()
    const { postern } = server.served
    const { id, token } = await postern.tokens.create({ scope: 'agent:quinn' })
    const waiting = caller(server.url, token).call('inbox_check', { waitSeconds: 100 })
    // Whoever waits is known by what it listens for; until then a call on the same connection would be answered.
    await caller(server.url, token).call('agent_list')
    await postern.tokens.revoke({ id })
    await postern.inbox.push({ to: ['quinn'], content: 'not for a stranger' })
    const { answer } = await waiting
    expect(answer.text).not.toContain('not for a stranger')
    const next = caller(server.url, await server.token('agent:quinn'))
    expect((await next.done<Checked>('inbox_check')).messages).toHaveLength(1)
  })

  it('of a service is refused what is not for services', async () => {
    verifies('mcp.identity')
    const server = await prepare()
    const service = caller(server.url, await server.token('service:ci'))
    const reply = await service.call('handoff_leave', { type: 'learning', text: 'x', project: '/tmp' })
    expect(words(reply)).toMatch(/NOT_ALLOWED/)
    const note = await service.call('post_note', { entity_id: 'P-1', entity_type: 'task', note: 'x' })
    expect(words(note)).toMatch(/NOT_ALLOWED/)
  })

  it('of a person speaks for that person, but cannot do more than an agent', async () => {
    verifies('mcp.identity')
    const server = await prepare()
    const { postern } = server.served
    const decision = await postern.decisions.create({ agent: 'quinn', question: 'May I?', ask: ['justin'] })
    const justin = caller(server.url, await server.token('human:justin'))
    expect((await justin.done<Checked>('inbox_check')).messages).toHaveLength(1)
    expect((await justin.call('decision_respond', { id: decision.id, text: 'Yes' })).message?.error?.message).toBe(
      'There is no tool decision_respond.',
    )
  })
})

/** Whatever was said, in the protocol or before it. */
function words({ message, answer }: McpReply): string {
  return message ? textOf(message) : answer.text
}
