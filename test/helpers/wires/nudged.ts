import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A program that wraps an agent and can be nudged. */
export interface NudgedAgent {
  readonly url: string
  /** The tokens of the nudges that were heard. */
  readonly nudges: readonly string[]
}

export async function startNudgedAgent(): Promise<NudgedAgent> {
  const nudges: string[] = []
  const server = createServer(({ method, url, headers }, response) => {
    const isNudge = method === 'POST' && url === '/api/v1/agent/nudge'
    if (isNudge) nudges.push(headers.authorization?.replace(/^Bearer /, '') ?? '')
    response.writeHead(isNudge ? 204 : 404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, nudges }
}
