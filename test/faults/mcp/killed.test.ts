import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type ClientRequest, request } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startServe } from '../../helpers/http-server.ts'
import { askMcp } from '../../helpers/mcp/http-client.ts'
import { dataOf, ENVELOPE, LEGACY, MODERN, type RawClient } from '../../helpers/mcp/raw-client.ts'
import { campaign, FULL } from '../../helpers/tier.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { cliCommand, cliEnvironment } from '../harness/cli.ts'
import { deliveriesIn, withStore } from '../harness/home.ts'
import { figures } from '../harness/need.ts'
import { doctorFault } from '../harness/soundness.ts'
import { type McpPlace, makeMcpPlace, mcpCommand, startMcp } from './place.ts'

const MESSAGES = 100
const KILLS = { quick: 2, full: 12, long: 1_500, most: 50 }
const ROUNDS = { quick: 1, full: 5, long: 300, most: 25 }
/** So that what the dead were shown comes back while the test runs. */
const LEASE_MS = 300
const LONGEST_LIFE_MS = 250
const SWALLOWED = fileURLToPath(new URL('./swallowed-answer.cjs', import.meta.url))
/** A few messages an answer, so that there are many. */
const FEW = { maxTokens: 400 }

interface Checked {
  readonly messages: readonly { readonly id: string; readonly attempt: number }[]
  readonly remaining: number
}

async function check(client: RawClient, input: object = {}): Promise<Checked> {
  return dataOf<Checked>(await client.call('inbox_check', input))
}

const idsOf = ({ messages }: Checked) => messages.map(({ id }) => id)

function fill({ home }: McpPlace, count: number): Promise<string[]> {
  return withStore(home, async ({ inbox }) => {
    const messages = Array.from({ length: count }, (_, at) => ({ to: ['quinn'], content: `message ${at}` }))
    return (await inbox.pushMany({ messages })).map(({ id }) => id)
  })
}

/** What a client knows after many lives of its server. */
interface Ledger {
  readonly shown: Map<string, number>
  /** An answer came to a later call, or to an acknowledgement: these must never be shown again. */
  readonly settled: Set<string>
  readonly faults: string[]
}

/** Checks and acknowledges until nothing remains or the server is gone. */
async function work(client: RawClient, { shown, settled, faults }: Ledger): Promise<void> {
  let before: readonly string[] = []
  for (;;) {
    const checked = await check(client, FEW)
    for (const id of before) settled.add(id)
    for (const { id, attempt } of checked.messages) {
      if (settled.has(id)) faults.push(`${id} was shown again after it was settled`)
      const known = shown.get(id) ?? 0
      if (attempt <= known) faults.push(`${id} was shown twice as attempt ${attempt}`)
      shown.set(id, attempt)
    }
    before = idsOf(checked)
    if (before.length === 0) return
    const some = before.slice(0, 1)
    dataOf(await client.call('inbox_ack', { ids: some }))
    for (const id of before) settled.add(id)
  }
}

describe('a `postern mcp` that is killed', () => {
  campaign('at any moment loses nothing, and what was settled is never shown again', KILLS, async (kills) => {
    verifies('mcp.shown')
    const place = await makeMcpPlace({ unprintedOfferMs: LEASE_MS, printedOfferMs: LEASE_MS })
    const pushed = await fill(place, MESSAGES)
    const ledger: Ledger = { shown: new Map(), settled: new Set(), faults: [] }
    for (let kill = 0; kill < kills; kill++) {
      const client = await startMcp(place)
      const working = work(client, ledger).catch((error: Error) => {
        if (!error.message.startsWith('it ended')) throw error
      })
      await delay(Math.random() * LONGEST_LIFE_MS)
      client.child.kill('SIGKILL')
      await client.ended
      await working
      expect(client.strays.filter((line) => !line.startsWith('{'))).toEqual([])
      if (ledger.shown.size === MESSAGES) await fill(place, MESSAGES).then((more) => pushed.push(...more))
    }
    await delay(LEASE_MS)
    const last = await startMcp(place)
    await work(last, ledger)
    expect(await last.end()).toEqual({ code: 0, signal: null })
    const repeated = [...ledger.shown.values()].filter((attempt) => attempt > 1).length
    figures('mcp kills', `${kills} kills: ${ledger.shown.size} of ${pushed.length} shown, ${repeated} again`)
    expect(ledger.faults).toEqual([])
    expect(pushed.filter((id) => !ledger.shown.has(id))).toEqual([])
    const states = new Set(
      (await deliveriesIn(place.home)).filter(({ agent }) => agent === 'quinn').map(({ state }) => state),
    )
    expect([...states].sort()).toEqual(['acted', 'seen'])
    expect(await doctorFault(place.home)).toBeNull()
  })

  it('is found out where an answer is lost on its way and counted as sent', FULL, async () => {
    const place = await makeMcpPlace()
    const pushed = await fill(place, 10)
    const ledger: Ledger = { shown: new Map(), settled: new Set(), faults: [] }
    for (const node of [['--require', SWALLOWED], []]) {
      const client = await startMcp(place, { node })
      await work(client, ledger)
      await client.end()
    }
    const lost = pushed.filter((id) => !ledger.shown.has(id))
    expect(lost.length).toBeGreaterThan(0)
    expect(lost.length).toBeLessThan(pushed.length)
  })
})

describe('a client that', () => {
  it('closes the output of its server gets the messages again at once', async () => {
    verifies('mcp.shown')
    const place = await makeMcpPlace()
    const ids = await fill(place, 3)
    const client = await startMcp(place)
    client.child.stdout!.destroy()
    const line = { jsonrpc: '2.0', id: 99, method: 'tools/call', params: { name: 'inbox_check', arguments: {} } }
    await client.write(`${JSON.stringify(line)}\n`)
    expect(await client.ended).toMatchObject({ signal: null })
    const next = await startMcp(place)
    // Nothing of the first attempt went out, so it does not count.
    expect(await check(next)).toMatchObject({ messages: ids.map((id) => ({ id, attempt: 1 })) })
  })

  campaign('is killed with its server below it gets the messages again at once', ROUNDS, async (rounds) => {
    verifies('mcp.shown')
    const place = await makeMcpPlace()
    for (let round = 1; round <= rounds; round++) {
      const ids = await fill(place, 3)
      expect(await showToDoomedParent(place), `round ${round}`).toEqual(ids.map((id) => ({ id, attempt: 1 })))
      const next = await startMcp(place)
      expect(await check(next), `round ${round}`).toMatchObject({ messages: ids.map((id) => ({ id, attempt: 2 })) })
      await next.end()
    }
    expect(await doctorFault(place.home)).toBeNull()
  })

  for (const [how, end] of [
    ['closes the input', (client: RawClient) => client.end()],
    ['sends SIGTERM', (client: RawClient) => stop(client, 'SIGTERM')],
    ['sends SIGINT', (client: RawClient) => stop(client, 'SIGINT')],
  ] as const) {
    it(`ends in good order (${how}) is not shown the same again`, async () => {
      verifies('mcp.shown')
      const place = await makeMcpPlace()
      const ids = await fill(place, 3)
      const client = await startMcp(place)
      expect(idsOf(await check(client))).toEqual(ids)
      expect(await end(client)).toMatchObject({ signal: null })
      const next = await startMcp(place)
      expect(await check(next)).toMatchObject({ messages: [], remaining: 0 })
      expect((await deliveriesIn(place.home)).map(({ state }) => state)).toEqual(['seen', 'seen', 'seen'])
    })
  }

  it('ends while a call waits leaves nothing behind, and is shown what comes later', async () => {
    verifies('mcp.shown')
    const place = await makeMcpPlace()
    const client = await startMcp(place)
    const waiting = client.call('inbox_check', { waitSeconds: 100 }).catch(() => undefined)
    await client.call('agent_list')
    expect(await client.end()).toEqual({ code: 0, signal: null })
    await waiting
    const ids = await fill(place, 1)
    const next = await startMcp(place)
    expect(await check(next)).toMatchObject({ messages: ids.map((id) => ({ id, attempt: 1 })) })
  })

  it('cancels a call that waits is shown by the next one what came', async () => {
    verifies('mcp.shown')
    const place = await makeMcpPlace()
    const client = await startMcp(place)
    const id = client.nextId()
    const params = { name: 'inbox_check', arguments: { waitSeconds: 100 } }
    void client.say(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }), id).catch(() => {})
    await client.call('agent_list')
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }
    await client.write(`${JSON.stringify(cancel)}\n`)
    await client.call('agent_list')
    const ids = await fill(place, 2)
    expect(await check(client)).toMatchObject({ messages: ids.map((each) => ({ id: each, attempt: 1 })) })
    expect(client.strays).toEqual([])
  })
})

describe('a client over HTTP', () => {
  campaign('that goes while its call waits is shown by a later call what came', ROUNDS, async (rounds) => {
    verifies('mcp.shown')
    const place = await makeMcpPlace()
    const server = await startServe({ home: place.home, executable: cliCommand([]).at(-1) ?? '' })
    const { body } = await server.ask('POST /api/v1/tokens', { body: { scope: 'agent:quinn' } })
    const asking = { url: server.url, token: String(body.token), method: 'tools/call' }
    for (let round = 1; round <= rounds; round++) {
      const leaving = callAndLeave(asking, { waitSeconds: 100 })
      await askMcp({ ...asking, params: { name: 'agent_list', arguments: {} } })
      leaving.destroy()
      const ids = await fill(place, 2)
      const shown: string[] = []
      await expect
        .poll(async () => {
          const { message } = await askMcp({ ...asking, params: { name: 'inbox_check', arguments: {} } })
          shown.push(...idsOf(dataOf<Checked>(message ?? expect.fail('there was no answer'))))
          return shown
        })
        .toEqual(ids)
    }
    expect(await server.stop()).toBe(0)
    expect(await doctorFault(place.home)).toBeNull()
  })
})

describe('two connections of one agent', () => {
  it('never show one message twice', async () => {
    verifies('mcp.concurrent')
    const place = await makeMcpPlace()
    const ids = await fill(place, MESSAGES)
    const clients = await Promise.all([startMcp(place), startMcp(place, { era: 'modern' })])
    const shown = await Promise.all(
      clients.map(async (client) => {
        const seen: string[] = []
        for (;;) {
          // Two calls at once on either, as hosts make them.
          const pages = await Promise.all([check(client, FEW), check(client, FEW)])
          seen.push(...pages.flatMap(idsOf))
          if (pages.every(({ messages }) => messages.length === 0)) return seen
        }
      }),
    )
    expect(shown.flat().toSorted()).toEqual(ids.toSorted())
    for (const client of clients) expect(await client.end()).toEqual({ code: 0, signal: null })
    expect((await deliveriesIn(place.home)).filter(({ state }) => state !== 'seen')).toEqual([])
  })
})

/** Calls inbox_check on a connection of its own, for somebody who will not hear the answer. */
function callAndLeave({ url, token }: { readonly url: string; readonly token: string }, input: object): ClientRequest {
  const outgoing = request(new URL('/mcp', url), {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MODERN,
      'mcp-method': 'tools/call',
      'mcp-name': 'inbox_check',
    },
  })
  outgoing.on('error', () => {})
  const params = { name: 'inbox_check', arguments: input, _meta: ENVELOPE }
  outgoing.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
  return outgoing
}

async function stop(client: RawClient, signal: NodeJS.Signals) {
  client.child.kill(signal)
  return client.ended
}

/** A host in a process of its own: shakes hands, checks the inbox, tells what it was shown, and then does nothing more. */
const HOST = `
const { spawn } = require('node:child_process')
const [command, ...args] = JSON.parse(process.argv[1])
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
const send = (message) => child.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const clientInfo = { name: 'doomed', version: '1' }
send({ id: 1, method: 'initialize', params: { protocolVersion: '${LEGACY}', capabilities: {}, clientInfo } })
require('node:readline').createInterface({ input: child.stdout }).on('line', (line) => {
  const { id, result } = JSON.parse(line)
  if (id === 1) {
    send({ method: 'notifications/initialized' })
    send({ id: 2, method: 'tools/call', params: { name: 'inbox_check', arguments: {} } })
  }
  if (id === 2) console.log(JSON.stringify(result.structuredContent.messages))
})
setInterval(() => {}, 1 << 30)`

async function showToDoomedParent({ home, project }: McpPlace): Promise<{ id: string; attempt: number }[]> {
  const host = spawn(process.execPath, ['-e', HOST, JSON.stringify(mcpCommand())], {
    cwd: project,
    env: cliEnvironment(home),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void host.kill('SIGKILL'))
  host.stderr.resume()
  // Its server holds the same stderr, so this is told only when both are gone.
  const gone = once(host, 'close')
  const [line] = await once(createInterface({ input: host.stdout }), 'line')
  host.kill('SIGKILL')
  await gone
  const messages: { id: string; attempt: number }[] = JSON.parse(line)
  return messages.map(({ id, attempt }) => ({ id, attempt }))
}
