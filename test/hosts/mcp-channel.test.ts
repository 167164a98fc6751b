import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, inject, test } from 'vitest'
import { createSignal } from '../helpers/signal.ts'
import { makePlace, type Place } from './place.ts'

const MARK = 'mark-of-the-message'

interface Line {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
}

/** A client of the older handshake, which is the one that channels work with. */
async function connect({ project, env }: Place) {
  const words = [inject('executable'), 'mcp', '--agent', 'quinn', '--channel']
  const server = spawn(process.execPath, words, { cwd: project, env, stdio: ['pipe', 'pipe', 'inherit'] })
  const answers = createSignal<Line>()
  const told = createSignal<Line>()
  createInterface({ input: server.stdout }).on('line', (text) => {
    const line = JSON.parse(text) as Line
    if (line.id === undefined) told.fire(line)
    else answers.fire(line)
  })
  const write = (line: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`)
  /** One at a time, so that the next answer is the one to this. */
  const ask = async (method: string, params: object) => {
    const answer = answers.next()
    write({ id: answers.values.length, method, params })
    return answer
  }
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'plain', version: '1' } }
  const discovered = await ask('server/discover', {})
  const begun = await ask('initialize', hello)
  write({ method: 'notifications/initialized' })
  return {
    discovered,
    begun,
    told,
    call: (name: string) => ask('tools/call', { name, arguments: {} }),
    async end() {
      server.stdin.end()
      await once(server, 'exit')
    },
  }
}

test('a channel tells of what comes once, in no words of its sender, and not of what the agent wrote itself', async () => {
  const place = await makePlace()
  for (const id of ['quinn', 'mindy']) await place.ask('agent', 'add', id)
  const push = (from: string, text: string) => place.ask('inbox', 'push', '--as', from, '--to', 'quinn', text)
  const client = await connect(place)
  // Claude Code asks this first, and shakes hands where it is refused.
  expect(client.discovered).toMatchObject({ error: { code: -32601 } })
  expect(client.begun).toMatchObject({ result: { capabilities: { experimental: { 'claude/channel': {} } } } })

  await push('quinn', 'a note to myself')
  await push('mindy', MARK)
  await client.told.times(1)
  await client.call('inbox_check')
  // Had anything else been told of what came first, it would have come before this.
  await push('mindy', MARK)
  await client.told.times(2)
  await client.end()

  const params = {
    content: 'A message waits for quinn. Take with: inbox_check',
    meta: { agent: 'quinn', pending: '1' },
  }
  const notification = { jsonrpc: '2.0', method: 'notifications/claude/channel', params }
  expect(client.told.values).toEqual([notification, notification])
})
