import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { processStart } from '../../src/kit/node/processes.ts'
import type { Postern } from '../../src/model/postern.ts'
import { EXECUTABLE } from '../helpers/command.ts'
import { openLocal } from '../helpers/open-local.ts'
import { spawnServing } from '../helpers/server/serving-process.ts'
import { makeFastFolder, removeFolder } from '../helpers/temp.ts'

export type Carrier = 'stdio' | 'http'
export type Era = 'legacy' | 'modern'

/** Every way in which a client comes to us. */
export const WAYS: readonly Way[] = [
  { carrier: 'stdio', era: 'modern' },
  { carrier: 'stdio', era: 'legacy' },
  { carrier: 'http', era: 'modern' },
  { carrier: 'http', era: 'legacy' },
]

export interface Way {
  readonly carrier: Carrier
  readonly era: Era
}

/** A home with the agents quinn and mindy and the person justin, and a `postern serve` on it, for a file of tests. */
export interface Scene {
  readonly home: string
  readonly project: string
  /** Of the server. */
  readonly url: string
  readonly env: Readonly<Record<string, string>>
  /** The store itself, as whoever stands outside of MCP has it. */
  readonly postern: Postern
  /** A token of the agent quinn. */
  readonly token: string
  /** The words that start quinn's tools on stdin and stdout. */
  stdio(...args: readonly string[]): readonly string[]
  /** The client of the official SDK, connected as quinn. */
  connect(way: Way, prepare?: (client: Client) => void): Promise<Client>
  close(): Promise<void>
}

export async function openScene(): Promise<Scene> {
  const folder = makeFastFolder()
  const [home, project] = [join(folder, 'home'), join(folder, 'project')]
  for (const each of [home, join(project, '.git')]) mkdirSync(each, { recursive: true, mode: 0o700 })
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, POSTERN_HOME: home }
  const postern = await openLocal(join(home, 'postern.db'), { upkeep: false, bus: { root: join(home, 'run-agent') } })
  await postern.agents.add({ id: 'quinn' })
  await postern.agents.add({ id: 'mindy' })
  await postern.agents.add({ id: 'justin', kind: 'human', isOwner: true })
  await postern.handoff.init({ project })
  const { token } = await postern.tokens.create({ scope: 'agent:quinn' })
  const serving = spawnServing(home, EXECUTABLE, ['serve', '--port', '0', '--json'])
  const { url } = await serving.announced<{ readonly url: string }>()
  // Over HTTP, an agent uses only the handoff of a project in which it has a session on this machine.
  const pid = serving.child.pid ?? 0
  const session = { id: 'ses-quinn', agent: 'quinn', pid, pidStartedAt: processStart(pid) ?? 1 }
  await postern.sessions.begin({ ...session, project })
  const clients = new Set<Client>()

  const stdio = (...args: readonly string[]) => [EXECUTABLE, 'mcp', '--agent', 'quinn', '--tools', 'seeds', ...args]
  return {
    home,
    project,
    url,
    env,
    postern,
    token,
    stdio,
    async connect({ carrier, era }, prepare) {
      const versionNegotiation = { mode: era === 'modern' ? 'auto' : 'legacy' } as const
      const client = new Client({ name: 'official', version: '1' }, { versionNegotiation })
      prepare?.(client)
      const transport =
        carrier === 'stdio'
          ? new StdioClientTransport({ command: process.execPath, args: [...stdio()], env, cwd: project })
          : new StreamableHTTPClientTransport(new URL('/mcp?tools=seeds', url), {
              requestInit: { headers: { authorization: `Bearer ${token}` } },
            })
      await client.connect(transport)
      clients.add(client)
      return client
    },
    async close() {
      for (const client of clients) await client.close()
      await serving.stop()
      await postern.close()
      removeFolder(folder)
    },
  }
}
