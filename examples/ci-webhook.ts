/**
 * An outside system wakes an agent over HTTP. The server runs in a process of its own; the agent is connected to it.
 *
 *   npm run build && node examples/ci-webhook.ts
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { agent, connectPostern } from 'postern'

const home = mkdtempSync(join(tmpdir(), 'postern-example-'))
const executable = join(import.meta.dirname, '..', 'bin', 'postern.cjs')
const server = spawn(process.execPath, [executable, 'serve', '--port', '0', '--json', '--home', home], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const [line] = await once(createInterface(server.stdout), 'line')
const { url, tokenFile } = JSON.parse(line)

const postern = await connectPostern({ url, token: readFileSync(tokenFile, 'utf8').trim() })
await postern.agents.add({ id: 'developer' })
// The key is shown this once; it goes into the settings of the outside system.
const { key } = await postern.services.create({ name: 'ci', agent: 'developer' })

const runtime = agent(postern, { agent: 'developer' })
const waiting = nextBatch()
console.log(`the outside system is ${await trigger(key)}`)
for (const line of await waiting) console.log(line)
console.log(`the same delivery once more is ${await trigger(key)}, and ${(await runtime.peek()).length} wait`)
console.log(`a wrong key is ${await trigger('sk_wrong')}`)

await postern.close()
server.kill('SIGTERM')
await once(server, 'exit')
rmSync(home, { recursive: true })

/** Sleeps until the server rings, on a connection that is kept open. */
async function nextBatch(): Promise<string[]> {
  const lines: string[] = []
  for await (const { text, events } of runtime.batches()) {
    lines.push(text, `as JSON: ${JSON.stringify(events.map(({ type, data }) => ({ type, data })))}`)
    runtime.stop()
  }
  return lines
}

/** As any system sends it: `curl -H @key-header -d '{"serviceName":"ci","payload":{…}}'`. */
async function trigger(secret: string): Promise<string> {
  const { ok } = await fetch(`${url}/api/agents/developer/trigger`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-secret-key': secret, 'idempotency-key': 'run-42' },
    body: JSON.stringify({ serviceName: 'ci', payload: { run: 42, branch: 'main', outcome: 'failed' } }),
  })
  return ok ? 'accepted' : 'refused'
}
