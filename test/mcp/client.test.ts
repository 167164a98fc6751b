import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openScene, type Scene, WAYS } from './scene.ts'
import { makeSpace, makeThings, type Things } from './things.ts'

const REVISION = { modern: '2026-07-28', legacy: '2025-11-25' } as const

let scene: Scene
let things: Things

beforeAll(async () => {
  scene = await openScene()
  await makeSpace(scene)
})

afterAll(() => scene?.close())

describe.each(WAYS)('the client of the official SDK, $era over $carrier', (way) => {
  let client: Client

  beforeAll(async () => {
    things = await makeThings(scene)
    client = await scene.connect(way)
  })

  test('agrees on the revision that it knows, and is told who it is', () => {
    expect(client.getNegotiatedProtocolVersion()).toBe(REVISION[way.era])
    expect(client.getServerVersion()).toMatchObject({ name: 'postern', title: 'Postern' })
    expect(client.getInstructions()).toContain('you are quinn')
    const follows = way.carrier === 'stdio' || way.era === 'modern'
    expect(client.getServerCapabilities()).toMatchObject({
      tools: {},
      prompts: {},
      resources: follows ? { subscribe: true } : {},
    })
  })

  test('lists the tools, and what each answers is as its output schema says', async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).sort()).toEqual(Object.keys(things.inputs).sort())
    for (const [name, input] of Object.entries(things.inputs)) {
      // The client holds the answer against the schema and throws where it differs.
      const result = await client.callTool({ name, arguments: input })
      expect(result, name).not.toHaveProperty('isError')
      expect(result.structuredContent, name).toBeTypeOf('object')
      expect(result.content, name).toEqual([{ type: 'text', text: expect.stringMatching(/./) }])
    }
  })

  test('is refused in words, never by a broken connection', async () => {
    const refused = await client.callTool({ name: 'gate_resolve', arguments: { id: things.strictGateId, reason: 'x' } })
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/\[NOT_ALLOWED\]$/) }] })
    const malformed = await client.callTool({ name: 'inbox_ack', arguments: { ids: 7 } })
    expect(malformed).toMatchObject({ isError: true })
    await expect(client.callTool({ name: 'decision_respond', arguments: {} })).rejects.toThrow('There is no tool')
  })

  test('reads every kind of resource by its template', async () => {
    const { resourceTemplates } = await client.listResourceTemplates()
    const values = { agent: 'quinn', project: 'shop', task: 'checkout' }
    const ids = { thread: things.messageId, decision: things.decisionId, gate: things.gateId }
    for (const { name, uriTemplate } of resourceTemplates) {
      const given: Record<string, string> = { ...values, id: ids[name as keyof typeof ids] }
      const uri = uriTemplate.replace(/\{(\w+)\}/g, (_, key) => given[key] ?? '')
      const { contents } = await client.readResource({ uri })
      expect(contents, uri).toEqual([{ uri, mimeType: expect.any(String), text: expect.stringMatching(/./) }])
    }
    expect(resourceTemplates).toHaveLength(6)
  })

  test('lists what concerns it now, and each of it can be read', async () => {
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(
      expect.arrayContaining([
        'postern://inbox/quinn',
        `postern://decision/${things.decisionId}`,
        `postern://gate/${things.strictGateId}`,
      ]),
    )
    for (const { uri, mimeType } of resources)
      expect((await client.readResource({ uri })).contents[0]).toMatchObject({ uri, mimeType })
  })

  test('reads nothing that is not there, and nothing of others', async () => {
    for (const uri of ['postern://inbox/mindy', 'postern://gate/gate_nowhere', 'file:///etc/passwd'])
      await expect(client.readResource({ uri }), uri).rejects.toThrow()
  })

  test('gets every prompt', async () => {
    const { prompts } = await client.listPrompts()
    for (const { name, description } of prompts) {
      const got = await client.getPrompt({ name })
      expect(got).toMatchObject({ description, messages: [{ role: 'user', content: { type: 'text' } }] })
    }
    expect(prompts).toHaveLength(3)
    await expect(client.getPrompt({ name: 'postern-nothing' })).rejects.toThrow('There is no prompt')
  })
})

test('refuses a pipe that begins with a revision that nobody knows, and says which there are', async () => {
  const child = spawn(process.execPath, scene.stdio(), { env: scene.env, stdio: ['pipe', 'pipe', 'ignore'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const meta = {
    'io.modelcontextprotocol/protocolVersion': 'v999.0.0',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } })}\n`)
  const { error } = JSON.parse((await lines.next()).value ?? '{}')
  expect(error?.data).toMatchObject({ supported: expect.arrayContaining(['2026-07-28']), requested: 'v999.0.0' })
  child.stdin.end()
})
