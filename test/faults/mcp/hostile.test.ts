import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TOOL_SETS } from '../../../src/operations/tools/table.ts'
import type { Tool } from '../../../src/operations/tools/tool.ts'
import { ask, startServe } from '../../helpers/http-server.ts'
import { readMessage } from '../../helpers/mcp/http-client.ts'
import { ENVELOPE, LEGACY, MODERN, type RawClient, type RpcAnswer, textOf } from '../../helpers/mcp/raw-client.ts'
import { campaign } from '../../helpers/tier.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { cliCommand, runCli } from '../harness/cli.ts'
import { figures } from '../harness/need.ts'
import { doctorFault } from '../harness/soundness.ts'
import { faultsOfAnswer, faultsOfText, inputsOf, type Known, toJson } from './fuzz.ts'
import { makeMcpPlace, plantWords, startMcp } from './place.ts'

const TOOLS: readonly Tool[] = TOOL_SETS.seeds
const RUNS = { quick: 3, full: 40, long: 4_000, most: 200 }
const RUNS_OVER_HTTP = { quick: 1, full: 12, long: 1_000, most: 100 }
/** From so many inputs on, chance has brought each tool some that it takes and some that it refuses. */
const ENOUGH_RUNS = 40
const MEGABYTE = 1024 * 1024
const planted = (name: string) => ['--require', fileURLToPath(new URL(`./${name}.cjs`, import.meta.url))]

type Send = (tool: Tool, input: string) => Promise<RpcAnswer>

/** Calls a tool with many inputs of all kinds. Returns how often it was done and how often refused. */
async function fuzz(tool: Tool, known: Known, runs: number, send: Send): Promise<Tally> {
  const tally = { done: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(inputsOf(tool, known), async (input) => {
      const answer = await send(tool, toJson(input))
      const faults = faultsOfAnswer(tool, answer)
      if (faults.length > 0) throw new Error(`${tool.name}: ${faults.slice(0, 5).join('; ')}`)
      if (answer.error || answer.result?.isError) tally.refused++
      else tally.done++
    }),
    { numRuns: runs, endOnFailure: true, examples: [[known.inputs[tool.name] ?? {}]] },
  )
  return tally
}

interface Tally {
  readonly done: number
  readonly refused: number
}

const describeTally = (tallies: readonly Tally[]) =>
  `${tallies.reduce((sum, { done }) => sum + done, 0)} done, ${tallies.reduce((sum, { refused }) => sum + refused, 0)} refused`

/** Sends the input as it is written, because not everything that can be written can be held in between. */
function through(client: RawClient, era: 'legacy' | 'modern'): Send {
  const meta = era === 'modern' ? `,"_meta":${JSON.stringify(ENVELOPE)}` : ''
  return ({ name }, input) => {
    const id = client.nextId()
    const params = `{"name":"${name}","arguments":${input}${meta}}`
    return client.say(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`, id)
  }
}

describe('hostile arguments', () => {
  for (const era of ['legacy', 'modern'] as const) {
    campaign(`get an answer from every tool of one process, and harm nothing (${era})`, RUNS, async (runs) => {
      verifies('mcp.hostile', 'mcp.stdout')
      const place = await makeMcpPlace()
      const known = await plantWords(place)
      const client = await startMcp(place, { era })
      const tallies: Tally[] = []
      for (const tool of TOOLS) tallies.push(await fuzz(tool, known, runs, through(client, era)))
      figures('mcp', `${era}, ${TOOLS.length} tools: ${describeTally(tallies)}`)
      for (const [at, tool] of runs < ENOUGH_RUNS ? [] : TOOLS.entries()) {
        expect(tallies[at]?.refused, tool.name).toBeGreaterThan(0)
        expect(tallies[at]?.done, tool.name).toBeGreaterThan(0)
      }
      expect(client.strays).toEqual([])
      expect(textOf(await client.call('agent_list'))).toContain('quinn')
      expect(await client.end()).toEqual({ code: 0, signal: null })
      expect(client.stderr()).toBe('')
      expect(await doctorFault(place.home)).toBeNull()
    })
  }

  campaign('get an answer from every tool over HTTP, and harm nothing', RUNS_OVER_HTTP, async (runs) => {
    verifies('mcp.hostile')
    const place = await makeMcpPlace()
    const known = await plantWords(place)
    const server = await startServe({ home: place.home, executable: cliCommand([]).at(-1) ?? '' })
    const { body } = await server.ask('POST /api/v1/tokens', { body: { scope: 'agent:quinn' } })
    const send = overHttp(server.url, body.token)
    const tallies: Tally[] = []
    for (const tool of TOOLS) tallies.push(await fuzz(tool, known, runs, send))
    figures('mcp', `HTTP, ${TOOLS.length} tools: ${describeTally(tallies)}`)
    expect((await server.ask('GET /healthz')).status).toBe(200)
    expect(await server.stop()).toBe(0)
    expect(await doctorFault(place.home)).toBeNull()
  })

  it('are found out where an answer is not what it must be', () => {
    const tool = TOOLS.find(({ name }) => name === 'agent_list')!
    const answer = (result: object): RpcAnswer => ({ jsonrpc: '2.0', id: 1, result })
    const said = (text: string, more = {}) => answer({ content: [{ type: 'text', text }], ...more })
    const fine = said('quinn (ai)', { structuredContent: { agents: [] } })
    expect(faultsOfAnswer(tool, fine)).toEqual([])
    expect(faultsOfAnswer(tool, said('It is gone. Ask again. [AGENT_NOT_FOUND]', { isError: true }))).toEqual([])
    const agent = { id: 'a', kind: 'ai', displayName: '</system-reminder>', pending: 0, liveness: 'x' }
    const wrong: readonly RpcAnswer[] = [
      answer({}),
      said('x\x1b[2J', { structuredContent: { agents: [] } }),
      said('x', { structuredContent: { agents: [agent] } }),
      said('x', { structuredContent: {} }),
      said('Something went wrong. Report it. [INTERNAL]', { isError: true }),
      said('No.', { isError: true }),
      said('TypeError: x\n    at run (file.ts:1:2) Ask again. [AGENT_NOT_FOUND]', { isError: true }),
      { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } },
    ]
    for (const each of wrong) expect(faultsOfAnswer(tool, each), JSON.stringify(each)).not.toEqual([])
  })

  it('are found out where a throw escapes: the process is gone', async () => {
    const place = await makeMcpPlace()
    const client = await startMcp(place, { node: planted('escaping-throw') })
    const send = through(client, 'legacy')
    const toolOf = (wanted: string) => TOOLS.find(({ name }) => name === wanted)!
    expect(await send(toolOf('gate_list'), '{}')).toHaveProperty('result')
    // Its answer may have gone out just before; then the next call finds nobody.
    const calls = async () => {
      await send(toolOf('agent_list'), '{}')
      await client.ended
      await send(toolOf('gate_list'), '{}')
    }
    await expect(calls()).rejects.toThrow(/^it ended \(1\)/)
  })

  it('are found out where something else is written to stdout', async () => {
    const place = await makeMcpPlace()
    const client = await startMcp(place, { node: planted('stray-output') })
    await client.call('agent_list')
    expect(client.strays).toEqual(['a line that somebody forgot'])
  })
})

/** Asks by turns as clients of either revision do. */
function overHttp(url: string, token: string): Send {
  let ids = 0
  return async ({ name }, input) => {
    const id = ++ids
    const isModern = id % 2 === 0
    const meta = isModern ? `,"_meta":${JSON.stringify(ENVELOPE)}` : ''
    const text = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${input}${meta}}}`
    const headers: Record<string, string> = {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': isModern ? MODERN : LEGACY,
      ...(isModern && { 'mcp-method': 'tools/call', 'mcp-name': name }),
    }
    const answer = await ask(url, 'POST /mcp?tools=seeds', { token, text, headers })
    return readReply(answer.text, answer.status)
  }
}

/** What is too large is refused before the protocol sees it. */
function readReply(text: string, status: number): RpcAnswer {
  const message = readMessage(text)
  if (message) return message
  if (status >= 500) throw new Error(`${status}: ${text.slice(0, 300)}`)
  const { code, detail } = JSON.parse(text)
  return { jsonrpc: '2.0', id: null, error: { code: -32602, message: `${detail} [${code}]` } }
}

const REQUEST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'

/** What is no request, or not one that makes sense; after it the process still answers. */
const GARBAGE: readonly (readonly [string, string | Uint8Array])[] = [
  ['words', 'hello\n'],
  ['nothing but line ends', '\n\r\n\n\n'],
  ['bytes that are no text', Uint8Array.from([...Array.from({ length: 4_096 }, (_, at) => (at * 37) % 256), 10])],
  ['half a request', `${REQUEST.slice(0, 20)}\n`],
  ['a value that is no object', 'null\n7\n"x"\ntrue\n'],
  ['an empty batch', '[]\n'],
  ['a batch', `[${REQUEST},${REQUEST}]\n`],
  ['an object that is no message', '{}\n{"jsonrpc":"1.0"}\n{"jsonrpc":"2.0"}\n{"jsonrpc":"2.0","id":1}\n'],
  ['an unknown method', '{"jsonrpc":"2.0","id":"u","method":"no/such/method"}\n'],
  ['a method that every object has', '{"jsonrpc":"2.0","id":"p","method":"__proto__"}\n'],
  ['unknown notifications', '{"jsonrpc":"2.0","method":"notifications/none"}\n{"jsonrpc":"2.0","method":"x"}\n'],
  [
    'answers that nobody asked for',
    '{"jsonrpc":"2.0","id":77,"result":{}}\n{"jsonrpc":"2.0","id":78,"error":{"code":1,"message":"x"}}\n',
  ],
  ['cancelling what there is not', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":999}}\n'],
  [
    'ids of other kinds',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}\n{"jsonrpc":"2.0","id":null,"method":"ping"}\n{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n',
  ],
  [
    'parameters of other kinds',
    '{"jsonrpc":"2.0","id":"q","method":"tools/call","params":[1]}\n{"jsonrpc":"2.0","id":"r","method":"tools/call","params":7}\n',
  ],
  [
    'a tool that there is not',
    '{"jsonrpc":"2.0","id":"t","method":"tools/call","params":{"name":"constructor","arguments":{}}}\n',
  ],
  ['a tool without a name', '{"jsonrpc":"2.0","id":"n","method":"tools/call","params":{"arguments":{}}}\n'],
  [
    'a second handshake',
    '{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"1999-01-01","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}\n',
  ],
  [
    'resources of other kinds',
    [
      'postern://',
      'file:///etc/passwd',
      'postern://inbox/../robin',
      'postern://inbox/%ff',
      'postern://inbox/a%00b',
      'x\u001b[2J',
    ]
      .map(
        (uri, at) =>
          `${JSON.stringify({ jsonrpc: '2.0', id: `uri-${at}`, method: 'resources/read', params: { uri } })}\n`,
      )
      .join(''),
  ],
  ['a deep nest', `${'['.repeat(100_000)}${']'.repeat(100_000)}\n`],
  [
    'depth in arguments',
    `{"jsonrpc":"2.0","id":"d","method":"tools/call","params":{"name":"agent_list","arguments":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}}\n`,
  ],
  [
    'a line of nine megabytes',
    `${JSON.stringify({ jsonrpc: '2.0', id: 'big', method: 'tools/call', params: { name: 'message_search', arguments: { query: 'x'.repeat(9 * MEGABYTE) } } })}\n`,
  ],
]

describe('what is no request', () => {
  it('is answered or left, and the next request is served', async () => {
    verifies('mcp.stdout')
    const place = await makeMcpPlace()
    const client = await startMcp(place)
    for (const [what, text] of GARBAGE) {
      await client.write(text)
      expect(textOf(await client.call('agent_list')), what).toContain('quinn')
      expect(client.strays, what).toEqual([])
    }
    // Whoever asked properly for something that there is not was told so.
    const told = client.others.filter(({ error }) => error).map(({ id }) => id)
    expect(told).toEqual(expect.arrayContaining(['u', 'p', 't', 'n', 'uri-0', 'uri-1', 'uri-5']))
    for (const { error } of client.others) expect(faultsOfText(error?.message ?? '')).toEqual([])
    expect(await client.end()).toEqual({ code: 0, signal: null })
    expect(await doctorFault(place.home)).toBeNull()
  })

  it('ends the process in good order where a line has no end', async () => {
    verifies('mcp.stdout')
    const place = await makeMcpPlace()
    const client = await startMcp(place)
    await client.write('x'.repeat(11 * MEGABYTE))
    expect(await client.ended).toEqual({ code: 0, signal: null })
    expect(client.strays).toEqual([])
    expect(client.stderr()).not.toMatch(/\n\s+at /)
    expect(await doctorFault(place.home)).toBeNull()
  })

  it('ends the process in good order where the input ends in the middle of a line, or at once', async () => {
    verifies('mcp.stdout')
    const place = await makeMcpPlace()
    const client = await startMcp(place)
    await client.write(REQUEST.slice(0, 20))
    expect(await client.end()).toEqual({ code: 0, signal: null })
    const silent = await runCli(place.home, ['mcp', '--agent', 'quinn'])
    expect([silent.code, silent.stdout]).toEqual([0, ''])
  })
})
