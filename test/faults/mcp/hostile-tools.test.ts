import { join } from 'node:path'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { expect, it, onTestFinished } from 'vitest'
import { ownScope } from '../../../src/mcp/connection.ts'
import { createMcpServer } from '../../../src/mcp/mcp-server.ts'
import { formatUri } from '../../../src/mcp/resources/uri.ts'
import { createShown } from '../../../src/mcp/shown.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { TOOL_SETS } from '../../../src/operations/tools/table.ts'
import { EXPENSIVE, filled } from '../../helpers/drains/expensive-texts.ts'
import { openLocal } from '../../helpers/open-local.ts'
import { temporaryFolder } from '../../helpers/temp.ts'
import { verifies } from '../../scenarios/verifies.ts'

const CONTENT_BYTES = 64 * 1024
const BODY_BYTES = 256 * 1024
const COUNT = 50
/** Rendering all of it takes longer, rendering what fits a tenth of it. */
const MOST_MS = 1_000
const PATTERNS = Object.values(EXPENSIVE)

function texts(bytes: number): readonly string[] {
  return Array.from({ length: COUNT }, (_, at) => filled(PATTERNS[at % PATTERNS.length] ?? '', bytes))
}

async function openQuinn() {
  const folder = temporaryFolder()
  const heart = await openLocal(join(folder, 'postern.db'), { upkeep: false, bus: { root: join(folder, 'run-agent') } })
  onTestFinished(() => heart.close())
  for (const id of ['quinn', 'mindy'] as const) await heart.agents.add({ id, kind: 'ai' })
  await heart.agents.add({ id: 'justin', kind: 'human' })
  const as = (id: string, kind: 'ai' | 'human') => heart.as({ id, kind, verified: true, via: 'sdk' })
  return { quinn: as('quinn', 'ai'), justin: as('justin', 'human') }
}

async function connect(postern: Postern): Promise<Client> {
  const connection = {
    postern,
    identity: { caller: postern.caller, scope: ownScope(postern.caller) },
    agent: 'quinn',
    tools: TOOL_SETS.seeds,
    places: {},
    person: undefined,
    put: new Set<string>(),
    shown: createShown(postern.inbox),
    sessionId: async () => undefined,
    gather: async () => {},
    nonce: () => 'abcdefghjkmn',
  }
  const server = createMcpServer({ connection, era: 'legacy', onSettled: (_, tell) => tell('sent') })
  const client = new Client({ name: 'hostile', version: '1' })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await server.connect(ours)
  await client.connect(theirs)
  onTestFinished(() => client.close())
  return client
}

/** The milliseconds of processor time that this process uses for something. */
async function processorMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

it('tools and resources render no more than fits, however much hostile text there is', async () => {
  verifies('mcp.bounded')
  const { quinn, justin } = await openQuinn()
  const [first = '', ...others] = texts(CONTENT_BYTES)
  const { id } = await justin.inbox.push({ to: ['quinn'], content: first })
  for (const content of others) await justin.inbox.push({ to: ['quinn'], content, replyTo: id })
  await justin.spaces.create({ id: 'alpha', members: ['justin', 'quinn', 'mindy'] })
  for (const content of [...texts(CONTENT_BYTES), ...texts(CONTENT_BYTES)])
    await justin.spaces.post({ id: 'alpha', content })
  for (const body of texts(BODY_BYTES)) await justin.bus.post({ project_id: 'shop', body })
  for (const [at, instruction] of texts(CONTENT_BYTES).entries())
    await justin.plans.set({ plans: [{ agent: 'quinn', name: `plan ${at}`, instruction, runAfter: '5 hours' }] })

  const client = await connect(quinn)
  const call = async (name: string, input: Record<string, unknown>) => {
    const answer = await client.callTool({ name, arguments: input })
    expect(answer.isError, `${name}: ${JSON.stringify(answer.content).slice(0, 500)}`).toBeFalsy()
  }
  const read = (uri: string) => client.readResource({ uri })
  const works: Readonly<Record<string, () => Promise<unknown>>> = {
    'a thread': () => read(formatUri({ kind: 'thread', id })),
    'the entries of a bus': () => read(formatUri({ kind: 'bus', bus: { project_id: 'shop' } })),
    message_read: () => call('message_read', { id }),
    bus_read: () => call('bus_read', { project_id: 'shop', tail: COUNT }),
    enter_space: () => call('enter_space', { id: 'alpha', limit: 1_000 }),
    read_messages: () => call('read_messages', { id: 'alpha', limit: 1_000 }),
    get_plans: () => call('get_plans', { all: true }),
  }
  const times: Record<string, number> = {}
  for (const [name, work] of Object.entries(works)) times[name] = await processorMs(work)
  expect(Object.entries(times).filter(([, ms]) => ms > MOST_MS)).toEqual([])
})
