import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PATIENTLY } from '../../test/helpers/patience.ts'
import { createNudger, type NudgeParams } from './nudge.ts'
import { parseNudgeUrl } from './nudge-address.ts'

interface Wrapped {
  readonly url: string
  readonly port: number
  readonly heard: { readonly method?: string; readonly url?: string; readonly headers: IncomingMessage['headers'] }[]
}

/** A wrapped agent on loopback that gives every nudge the same answer. */
async function wrappedAgent(status = 204, headers: Record<string, string> = {}): Promise<Wrapped> {
  const heard: Wrapped['heard'] = []
  const server = createServer(({ method, url, headers: asked }, response) => {
    heard.push({ ...(method && { method }), ...(url && { url }), headers: asked })
    response.writeHead(status, headers).end(status === 204 ? undefined : 'x'.repeat(1_000_000))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port, heard }
}

function nudgerOf(url: string, more: Partial<NudgeParams> & { readonly listed?: readonly string[] } = {}) {
  const noted: string[] = []
  const { listed = [], ...rest } = more
  const target = parseNudgeUrl(url, listed)
  const note = (_: string, { reason }: Readonly<Record<string, unknown>>) => void noted.push(String(reason))
  const nudger = createNudger({ target, token: () => 'secret', note, ...rest })
  onTestFinished(nudger.close)
  return { ...nudger, noted }
}

describe('a nudge', () => {
  it('is a POST with a token and no body', async () => {
    const { url, port, heard } = await wrappedAgent()
    nudgerOf(url).nudge()
    await expect.poll(() => heard.length).toBe(1)
    expect(heard[0]).toMatchObject({
      method: 'POST',
      url: '/api/v1/agent/nudge',
      headers: { host: `127.0.0.1:${port}`, authorization: 'Bearer secret', 'content-length': '0' },
    })
  })

  it('is sent at once, and once more for all further nudges within a second', async () => {
    const { url, heard } = await wrappedAgent()
    const { nudge } = nudgerOf(url)
    for (let at = 0; at < 50; at++) nudge()
    await expect.poll(() => heard.length).toBe(1)
    await expect.poll(() => heard.length, PATIENTLY).toBe(2)
    nudge()
    await expect.poll(() => heard.length, PATIENTLY).toBe(3)
  })

  it('does not follow a redirect', async () => {
    const other = await wrappedAgent()
    const { url, heard } = await wrappedAgent(307, { location: `${other.url}/api/v1/agent/nudge` })
    const { nudge, noted } = nudgerOf(url)
    nudge()
    await expect.poll(() => noted).toEqual(['it answered 307'])
    expect(heard).toHaveLength(1)
    expect(other.heard).toHaveLength(0)
  })

  it('is not sent if the name resolves to a machine that is not allowed', async () => {
    const { port, heard } = await wrappedAgent()
    const listed = [`agent.internal:${port}`]
    const elsewhere = nudgerOf(`http://localhost:${port}`, { resolve: async () => '203.0.113.5' })
    elsewhere.nudge()
    await expect.poll(() => elsewhere.noted[0]).toContain('203.0.113.5, which is not of this machine')
    const cloud = nudgerOf(`http://agent.internal:${port}`, { listed, resolve: async () => '169.254.169.254' })
    cloud.nudge()
    await expect.poll(() => cloud.noted[0]).toContain('never nudged')
    expect(heard).toHaveLength(0)
  })

  it('keeps the resolved address, and resolves the name again only after a failure', async () => {
    const { port, heard } = await wrappedAgent()
    const asked: string[] = []
    const resolve = async (host: string) => {
      asked.push(host)
      return '127.0.0.1'
    }
    const { nudge } = nudgerOf(`http://agent.internal:${port}`, { listed: [`agent.internal:${port}`], resolve })
    for (let count = 1; count <= 2; count++) {
      nudge()
      await expect.poll(() => heard.length, PATIENTLY).toBe(count)
    }
    expect(asked).toEqual(['agent.internal'])
    expect(heard[0]?.headers.host).toBe(`agent.internal:${port}`)
  })

  it('that fails is noted once, and throws nothing', async () => {
    const { url, heard } = await wrappedAgent(401)
    const { nudge, noted } = nudgerOf(url)
    for (let count = 1; count <= 2; count++) {
      nudge()
      await expect.poll(() => heard.length, PATIENTLY).toBe(count)
    }
    await expect.poll(() => noted).toEqual(['it answered 401'])
    const broken = nudgerOf(url, {
      token: () => {
        throw new Error('there is no token')
      },
    })
    broken.nudge()
    await expect.poll(() => broken.noted).toEqual(['there is no token'])
  })
})
