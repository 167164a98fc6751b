import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Client } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DEAD_MACHINE_MS } from '../helpers/patience.ts'
import { FULL } from '../helpers/tier.ts'
import { openScene, type Scene, WAYS } from './scene.ts'
import { mindyOf } from './things.ts'

/** Longer than any test may last: what ends before was ended by something else. */
const WAIT = { waitSeconds: 100 }
const SOON_MS = 1_000

let scene: Scene

beforeEach(async () => {
  scene = await openScene()
})

afterEach(() => scene?.close())

interface Checked {
  readonly messages: readonly { readonly id: string; readonly attempt: number }[]
}

async function check(client: Client, input: object = {}, signal?: AbortSignal): Promise<Checked> {
  const options = { timeout: 110_000, ...(signal && { signal }) }
  const { structuredContent } = await client.callTool({ name: 'inbox_check', arguments: { ...input } }, options)
  return structuredContent as unknown as Checked
}

/** Calls are begun in the order in which they come, so whatever was called before this one is being done. */
async function begun(client: Client): Promise<void> {
  await client.callTool({ name: 'agent_list', arguments: {} })
  await client.callTool({ name: 'agent_list', arguments: {} })
}

const push = async (content: string) => (await mindyOf(scene).inbox.push({ to: ['quinn'], content })).id
/** Whether somebody takes it, who would have done so by then. */
const isTaken = (id: string) =>
  scene.postern.inbox.waitFor({ id, stage: 'offered', timeoutMs: SOON_MS }).then(
    () => true,
    () => false,
  )
const stateOf = async (id: string) => (await scene.postern.inbox.trace({ id })).deliveries[0]?.state

describe.each(WAYS)('a wait for mail, $era over $carrier', (way) => {
  test('ends at once when mail comes', { timeout: 90_000 }, async () => {
    const client = await scene.connect(way)
    const waiting = check(client, WAIT)
    await begun(client)
    const id = await push('At last.')
    expect((await waiting).messages).toMatchObject([{ id, attempt: 1 }])
  })

  const tier = way.era === 'modern' && way.carrier === 'stdio' ? {} : FULL
  test(
    'that is cancelled takes nothing: what comes later is pending, and is shown to the next call',
    tier,
    async () => {
      const client = await scene.connect(way)
      const cancelling = new AbortController()
      const waiting = check(client, WAIT, cancelling.signal).catch(() => 'cancelled')
      await begun(client)
      cancelling.abort()
      expect(await waiting).toBe('cancelled')
      // The server has heard of it by the time it answers what was asked later.
      await begun(client)
      const id = await push('Too late for that one.')
      expect(await isTaken(id)).toBe(false)
      expect((await check(client, WAIT)).messages).toMatchObject([{ id, attempt: 1 }])
      await begun(client)
      expect(await stateOf(id)).toBe('seen')
    },
  )
})

describe('"postern mcp" whose stdin is closed', () => {
  async function start() {
    const child = spawn(process.execPath, scene.stdio(), { env: scene.env, cwd: scene.project, stdio: 'pipe' })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const clientInfo = { name: 'raw', version: '1' }
    say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } })
    await lines.next()
    say({ method: 'notifications/initialized' })
    return { child, lines, say, exited: once(child, 'exit') }
  }

  async function closed({ child, exited }: Awaited<ReturnType<typeof start>>) {
    const at = performance.now()
    child.stdin.end()
    const [exit] = await exited
    return { exit, tookMs: performance.now() - at }
  }

  test('ends at once, with 0', async () => {
    const { exit, tookMs } = await closed(await start())
    expect(exit).toBe(0)
    expect(tookMs).toBeLessThan(DEAD_MACHINE_MS)
  })

  test('does so though a call waits and resources are followed, and the mail that comes then waits', async () => {
    const program = await start()
    program.say({ id: 2, method: 'resources/subscribe', params: { uri: 'postern://inbox/quinn' } })
    await program.lines.next()
    program.say({ id: 3, method: 'tools/call', params: { name: 'inbox_check', arguments: WAIT } })
    program.say({ id: 4, method: 'tools/call', params: { name: 'agent_list', arguments: {} } })
    await program.lines.next()
    const { exit, tookMs } = await closed(program)
    expect(exit).toBe(0)
    expect(tookMs).toBeLessThan(DEAD_MACHINE_MS)
    expect(await stateOf(await push('Nobody is there.'))).toBe('pending')
  })
})
