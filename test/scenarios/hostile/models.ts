import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { createCall } from '../../../src/hooks/call.ts'
import { runChain } from '../../../src/hooks/chain.ts'
import type { HookSettings } from '../../../src/hooks/handler.ts'
import type { HookAnswer, HookEvent, Host } from '../../../src/hooks/hosts/host.ts'
import { HOSTS, type HostName } from '../../../src/hooks/hosts/hosts.ts'
import { answerWithoutStore } from '../../../src/hooks/unavailable.ts'
import { NO_SHADOW } from '../../../src/host/shadow.ts'
import { ownScope } from '../../../src/mcp/connection.ts'
import { createMcpServer } from '../../../src/mcp/mcp-server.ts'
import { formatUri } from '../../../src/mcp/resources/uri.ts'
import { createShown } from '../../../src/mcp/shown.ts'
import { TOOL_SETS } from '../../../src/operations/tools/table.ts'
import { renderLines } from '../../../src/render/lines.ts'
import { type Output, stringsIn } from './oracle.ts'
import { HOST_NAMES, HOST_READERS, LINES_READER, MCP_READER, type Scene } from './scene.ts'

/** Everything that reaches a model: hooks of every host, with and without a store, MCP, and the library. */
export async function readAsModels(scene: Scene): Promise<readonly Output[]> {
  return [
    ...(await readByHooks(scene)),
    ...(await readWithoutStore(scene)),
    ...(await readByMcp(scene)),
    ...(await readByLibrary(scene)),
  ]
}

const EVENTS = ['session.start', 'prompt.submit', 'tool.before', 'tool.after', 'turn.stop'] as const
/** No inbox is that long. */
const MOST_TURNS = 200
const NONCE = 'abcdefghjkmn'
const HANDOFF = { shared: false, sharedInbox: null, tracked: false, maxTokens: 100_000, keepProcessedMs: null }

const SETTINGS: HookSettings = {
  stopCap: null,
  ageMs: () => 0,
  timeouts: { answerMs: 600_000, storeMs: 600_000, checksMs: 1_000, reserveMs: 0 },
  nonce: () => NONCE,
  hostProcess: () => undefined,
  starter: () => undefined,
  markers: () => [],
}

async function readByHooks(scene: Scene): Promise<readonly Output[]> {
  const outputs: Output[] = []
  for (const host of HOST_NAMES) {
    for (let turn = 0; turn < MOST_TURNS; turn++) {
      let hasMore = false
      for (const name of EVENTS) {
        const { answer, isMail } = await runHook(scene, {
          host,
          turn,
          event: eventOf(scene, name, `s-${host}-${turn}`),
        })
        outputs.push(...answer)
        hasMore ||= isMail
      }
      if (!hasMore) break
    }
  }
  return outputs
}

interface Firing {
  readonly host: HostName
  readonly turn: number
  readonly event: HookEvent & { readonly sessionId: string }
}

function eventOf({ project }: Scene, name: (typeof EVENTS)[number], sessionId: string): Firing['event'] {
  const tool = { name: 'Bash', useId: null }
  const quiet = { isSubagent: false, isStopActive: false, source: null, firing: null }
  return { name, hostEvent: name, sessionId, cwd: project, tool, ...quiet }
}

async function runHook(scene: Scene, { host: name, event }: Firing) {
  const { postern, project, ctx } = scene
  const host: Host = HOSTS[name]
  const call = createCall({
    event,
    host,
    agent: HOST_READERS[name],
    postern,
    settings: SETTINGS,
    limits: ctx.limits,
    handoff: () => HANDOFF,
    root: project,
    home: null,
    note: (error) => {
      throw error
    },
    uncounted: 0,
    counted: 0,
  })
  const answer = await runChain(call)
  const { offer, inheritance } = answer
  if (offer) await postern.inbox.confirm({ offerId: offer.id, printed: true, evidence: 'the hook printed it' })
  if (inheritance !== undefined) await postern.handoff.release({ id: inheritance, reason: 'others read it too' })
  return { answer: rendered(`hook of ${name} at ${event.name}`, host, event, answer), isMail: offer !== undefined }
}

/** Each text of the JSON that a host is given is a text of its own before the model. */
function rendered(name: string, host: Host, event: HookEvent, answer: HookAnswer): readonly Output[] {
  const text = host.render(event, answer)
  if (text === '') return []
  return stringsIn(JSON.parse(text)).map((each) => ({ name, form: 'fence', text: each }))
}

async function readWithoutStore(scene: Scene): Promise<readonly Output[]> {
  const outputs: Output[] = []
  for (const name of HOST_NAMES) {
    const agent = HOST_READERS[name]
    const { gates } = await scene.postern.hooks.standing({ agent, sessionId: `s-${agent}` })
    for (const event of [eventOf(scene, 'turn.stop', 's'), eventOf(scene, 'tool.before', 's')]) {
      const absence = { why: 'STORE_UNAVAILABLE', now: Date.now(), stopCap: null, showsCopies: false, nonce: NONCE }
      const { answer } = answerWithoutStore(event, { ...NO_SHADOW, gates }, absence)
      outputs.push(...rendered(`hook of ${name} at ${event.name} without a store`, HOSTS[name], event, answer))
    }
  }
  return outputs
}

async function readByMcp(scene: Scene): Promise<readonly Output[]> {
  const client = await connect(scene)
  const outputs: Output[] = []
  const call = async (name: string, input: Record<string, unknown> = {}) => {
    const { content, structuredContent } = await client.callTool({ name, arguments: input })
    for (const part of content as readonly { readonly text: string }[])
      outputs.push({ name: `MCP ${name}`, form: 'fence', text: part.text })
    if (structuredContent) outputs.push(structured(`MCP ${name}, structured`, structuredContent))
    return structuredContent as Record<string, readonly Record<string, string>[]> | undefined
  }
  const { items } = await scene.postern.inbox.list({ agent: MCP_READER, which: 'all', limit: 1_000 })
  await call('peek_inbox', { limit: 100 })
  for (const { id } of items) await call('message_read', { id })
  for (let turn = 0; turn < MOST_TURNS; turn++)
    if ((await call('inbox_check', { maxTokens: 20_000 }))?.['messages']?.length === 0) break
  await call('message_search', { query: 'zq*', limit: 100 })
  const listed = (await call('gate_list', { all: true }))?.['gates'] ?? []
  for (const { id } of listed) await call('gate_resolve', { id, reason: 'Done.' })
  const decisions = await scene.postern.decisions.list({ agent: MCP_READER, all: true })
  for (const { id } of decisions) await call('decision_get', { id })
  await call('agent_list')
  for (const { id } of await scene.postern.spaces.list({})) {
    await call('enter_space', { id })
    await call('read_messages', { id })
  }
  await call('get_plans', { all: true })
  await call('bus_read', { project_id: 'shop', tail: 50 })
  const uris = [
    formatUri({ kind: 'inbox', id: MCP_READER }),
    formatUri({ kind: 'bus', bus: { project_id: 'shop' } }),
    ...items.slice(0, 20).map(({ id }) => formatUri({ kind: 'thread', id })),
    ...listed.map(({ id = '' }) => formatUri({ kind: 'gate', id })),
    ...decisions.map(({ id }) => formatUri({ kind: 'decision', id })),
  ]
  for (const uri of uris) {
    const { contents } = await client.readResource({ uri })
    for (const each of contents) {
      const text = 'text' in each ? each.text : ''
      outputs.push({ name: `MCP resource ${uri.replace(/_\w+$/, '')}`, form: 'fence', text })
    }
  }
  const { resources } = await client.listResources()
  outputs.push(structured('MCP resources/list', resources))
  await client.close()
  return outputs
}

/** What a tool has rendered stands in its field `text` too, and is judged as its content. Other fields are values. */
function structured(name: string, value: object): Output {
  const { text: _, ...values } = value as { readonly text?: string }
  return { name, form: 'values', text: JSON.stringify(values) }
}

async function connect({ postern: heart }: Scene): Promise<Client> {
  const postern = heart.as({ id: MCP_READER, kind: 'ai', verified: true, via: 'mcp' })
  const connection = {
    postern,
    identity: { caller: postern.caller, scope: ownScope(postern.caller) },
    agent: MCP_READER,
    tools: TOOL_SETS.seeds,
    places: {},
    person: undefined,
    put: new Set<string>(),
    shown: createShown(postern.inbox),
    sessionId: async () => undefined,
    gather: async () => {},
    nonce: () => NONCE,
  }
  const server = createMcpServer({ connection, era: 'legacy', onSettled: (_, tell) => tell('sent') })
  const client = new Client({ name: 'hostile', version: '1' })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await server.connect(ours)
  await client.connect(theirs)
  return client
}

/** A program that uses the library is handed lines, one for each message, in the format of the first producers. */
async function readByLibrary({ postern }: Scene): Promise<readonly Output[]> {
  const { offer, messages } = await postern.inbox.drain({ agent: LINES_READER, maxMessages: 1_000 })
  if (offer) await postern.inbox.confirm({ offerId: offer.id, printed: true, evidence: 'the program took it' })
  return [{ name: 'lines of the library', form: 'lines', text: renderLines(messages, Date.now()) }]
}
