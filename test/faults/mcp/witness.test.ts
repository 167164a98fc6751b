import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startServe } from '../../helpers/http-server.ts'
import { dataOf, LEGACY } from '../../helpers/mcp/raw-client.ts'
import { NEEDS_LINUX } from '../../helpers/needs.ts'
import { PATIENTLY } from '../../helpers/patience.ts'
import { FULL } from '../../helpers/tier.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { cliCommand, cliEnvironment } from '../harness/cli.ts'
import { storeOf, withStore } from '../harness/home.ts'
import { doctorFault } from '../harness/soundness.ts'
import { type McpPlace, type McpStart, makeMcpPlace, mcpCommand, processesOf, startMcp } from './place.ts'

const push = ({ home }: McpPlace) =>
  withStore(home, async ({ inbox }) => (await inbox.push({ to: ['quinn'], content: 'a message' })).id)

/** The last step of a message on its way to quinn. */
const lastStep = ({ home }: McpPlace, id: string) =>
  withStore(home, async ({ inbox }) => {
    const { deliveries } = await inbox.trace({ id })
    const { step, attempt, evidence } = deliveries[0]?.steps.at(-1) ?? expect.fail('it was never offered')
    return { step, attempt, evidence }
  })

/** How a client ends once it was shown a message; `child` is its server, which leads a process group. */
const ENDINGS = {
  /** As Codex does, only faster: the server is stopped first, so it never handles the signal. */
  orderly: `child.kill('SIGSTOP'); process.kill(-child.pid, 'SIGTERM'); child.kill('SIGKILL'); process.exit()`,
  /** The server goes first, so the client is still there when the witness notices. */
  crash: `child.kill('SIGKILL'); process.kill(process.pid, 'SIGKILL')`,
  alone: `child.kill('SIGKILL')`,
} as const

/**
 * A client in a process of its own. It checks the inbox, and ends once the server has answered a ping: by then the server
 * has finished its answer to the check, and a ping confirms nothing.
 */
const clientOf = (ending: keyof typeof ENDINGS) => `
const { spawn } = require('node:child_process')
const [command, ...args] = JSON.parse(process.argv[1])
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'], detached: true })
const send = (message) => child.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const clientInfo = { name: 'brief', version: '1' }
child.stdin.on('error', () => {})
send({ id: 1, method: 'initialize', params: { protocolVersion: '${LEGACY}', capabilities: {}, clientInfo } })
require('node:readline').createInterface({ input: child.stdout }).on('line', (line) => {
  const { id, result } = JSON.parse(line)
  if (id === 1) {
    send({ method: 'notifications/initialized' })
    send({ id: 2, method: 'tools/call', params: { name: 'inbox_check', arguments: {} } })
  }
  if (id === 2) {
    console.log(JSON.stringify(result.structuredContent.messages))
    send({ id: 3, method: 'ping' })
  }
  if (id === 3) { ${ENDINGS[ending]} }
})
setInterval(() => {}, 1 << 30)`

/** Runs a client until it exits, or if it lives on until it was shown something. Returns what it was shown. */
async function runClient({ home, project }: McpPlace, ending: keyof typeof ENDINGS, start: McpStart = {}) {
  const client = spawn(process.execPath, ['-e', clientOf(ending), JSON.stringify(mcpCommand(start))], {
    cwd: project,
    env: cliEnvironment(home, start.env),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void client.kill('SIGKILL'))
  const exit = once(client, 'exit')
  const [line] = await once(createInterface({ input: client.stdout }), 'line')
  if (ending !== 'alone') await exit
  return (JSON.parse(line) as { id: string; attempt: number }[]).map(({ id, attempt }) => ({ id, attempt }))
}

const GOOD_ORDER = 'the client ended the connection in good order'

describe('a client that signals the process group of its server and kills the server at once', () => {
  const places: readonly [how: string, start: (place: McpPlace) => Promise<McpStart>][] = [
    ['in a home', async () => ({})],
    [
      'with a store that its words name',
      async ({ home }) => ({ args: ['--store', storeOf(home)], env: elsewhere(home) }),
    ],
    ['behind a server', behindServer],
  ]

  it.each(places)('has ended in good order: what it was shown is seen (%s)', async (_, startOf) => {
    verifies('mcp.killed')
    const place = await makeMcpPlace()
    const start = await startOf(place)
    const id = await push(place)
    expect(await runClient(place, 'orderly', start)).toEqual([{ id, attempt: 1 }])
    const seen = { step: 'seen', attempt: 1, evidence: GOOD_ORDER }
    await expect.poll(() => lastStep(place, id), PATIENTLY).toEqual(seen)
    expect(await doctorFault(place.home)).toBeNull()
  })
})

describe('a client that signals its server again and again', () => {
  it('has ended in good order, though the server did not reach the store', async () => {
    verifies('mcp.killed')
    const place = await makeMcpPlace()
    const id = await push(place)
    const client = await startMcp(place)
    expect(dataOf(await client.call('inbox_check'))).toMatchObject({ messages: [{ id, attempt: 1 }] })
    await client.request('ping')
    await expect.poll(() => lastStep(place, id), PATIENTLY).toMatchObject({ step: 'printed' })
    const unlock = lockStore(place)
    // After the first signal the server begins to record the end, for which it needs the store. A second one ends it on the spot.
    const signalling = setInterval(() => client.child.kill('SIGTERM'), 10)
    expect(await client.ended).toEqual({ code: 1, signal: null })
    clearInterval(signalling)
    unlock()
    const seen = { step: 'seen', attempt: 1, evidence: GOOD_ORDER }
    await expect.poll(() => lastStep(place, id), PATIENTLY).toEqual(seen)
  })
})

describe('a client that is killed', () => {
  it('right after it has killed its server is shown the messages again', async () => {
    verifies('mcp.killed')
    const place = await makeMcpPlace()
    const id = await push(place)
    expect(await runClient(place, 'crash')).toEqual([{ id, attempt: 1 }])
    const released = { step: 'released', attempt: 1, evidence: 'the client is gone' }
    await expect.poll(() => lastStep(place, id), PATIENTLY).toEqual(released)
    const next = await startMcp(place)
    expect(dataOf(await next.call('inbox_check'))).toMatchObject({ messages: [{ id, attempt: 2 }] })
  })
})

describe('a client whose server is killed', () => {
  it('has seen what it was shown if it lives on', async () => {
    verifies('mcp.killed')
    const place = await makeMcpPlace()
    const id = await push(place)
    expect(await runClient(place, 'alone')).toEqual([{ id, attempt: 1 }])
    const seen = { step: 'seen', attempt: 1, evidence: 'the server was killed, and its client lives on' }
    await expect.poll(() => lastStep(place, id), PATIENTLY).toEqual(seen)
  })
})

describe('the witness of a server', NEEDS_LINUX, () => {
  it('is not started where nothing was shown', async () => {
    const place = await makeMcpPlace()
    const client = await startMcp(place)
    expect(dataOf(await client.call('inbox_check'))).toMatchObject({ messages: [] })
    expect(processesOf(place)).toEqual([client.child.pid])
  })

  it('is started once, and ends with its server', async () => {
    const place = await makeMcpPlace()
    const client = await startMcp(place)
    for (let round = 0; round < 3; round++) {
      const id = await push(place)
      expect(dataOf(await client.call('inbox_check'))).toMatchObject({ messages: [{ id }] })
      expect(processesOf(place)).toHaveLength(2)
    }
    expect(await client.end()).toEqual({ code: 0, signal: null })
    await expect.poll(() => processesOf(place), PATIENTLY).toEqual([])
  })

  it('is replaced after it was killed', FULL, async () => {
    const place = await makeMcpPlace()
    const client = await startMcp(place)
    await push(place)
    await client.call('inbox_check')
    const [first = expect.fail('there is none')] = processesOf(place).filter((pid) => pid !== client.child.pid)
    process.kill(first, 'SIGKILL')
    await expect.poll(() => processesOf(place), PATIENTLY).toEqual([client.child.pid])
    // The server has noticed by the time it answers this.
    await client.request('ping')
    const id = await push(place)
    expect(dataOf(await client.call('inbox_check'))).toMatchObject({ messages: [{ id }] })
    // By the time it answers this, the server has told its witness that the answer is out.
    await client.request('ping')
    client.child.kill('SIGKILL')
    await expect.poll(() => lastStep(place, id), PATIENTLY).toMatchObject({ step: 'seen', attempt: 1 })
  })
})

/** Lets nobody write until the returned function is called. */
function lockStore({ home }: McpPlace): () => void {
  const db = new DatabaseSync(storeOf(home))
  db.exec('BEGIN IMMEDIATE')
  return () => db.close()
}

/** An environment that names a home without a store. */
const elsewhere = (home: string) => ({ POSTERN_HOME: `${home}-elsewhere` })

async function behindServer({ home }: McpPlace): Promise<McpStart> {
  const server = await startServe({ home, executable: cliCommand([]).at(-1) ?? '' })
  const { body } = await server.ask('POST /api/v1/tokens', { body: { scope: 'agent:quinn' } })
  return { env: { ...elsewhere(home), POSTERN_URL: server.url, POSTERN_TOKEN: String(body.token) } }
}
