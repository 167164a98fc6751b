import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Client, type ClientCapabilities } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'
import { processStart } from '../../../src/kit/node/processes.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { EXECUTABLE } from '../command.ts'
import { shareCompiledCode } from '../compiled-code.ts'
import { openLocal } from '../open-local.ts'
import { copyStore } from '../store-template.ts'
import { fastFolder } from '../temp.ts'
import { warmPosternJson } from '../warm-command.ts'
import { type Era, MODERN, type RawClient, startRawClient } from './raw-client.ts'

/** A home with the agents quinn and mindy, the people justin and anna, and a project to work in. */
export interface Scene {
  readonly home: string
  readonly project: string
  /** What the command line answers, in JSON. */
  ask<T>(...words: readonly string[]): Promise<T>
  /** A `postern mcp` of an agent, and a client that looks at every line. */
  raw(agent: string, options?: RawStart): Promise<RawClient>
  /** The same with the client of the official SDK. */
  client(options: ClientStart): Promise<Client>
  within<T>(work: (postern: Postern) => Promise<T>): Promise<T>
}

export interface RawStart {
  readonly args?: readonly string[]
  readonly era?: Era
  /** Words before the program's own. */
  readonly wrap?: readonly string[]
}

export interface ClientStart {
  readonly era: Era
  readonly args: readonly string[]
  readonly capabilities?: ClientCapabilities
  /** Called with the client before it connects. */
  readonly prepare?: (client: Client) => void
}

export async function openScene(): Promise<Scene> {
  const folder = fastFolder()
  const [home, project] = [join(folder, 'home'), join(folder, 'project')]
  for (const each of [home, join(project, '.git')]) mkdirSync(each, { recursive: true, mode: 0o700 })
  shareCompiledCode(home)
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, POSTERN_HOME: home }
  const within: Scene['within'] = async (work) => {
    const postern = await openLocal(join(home, 'postern.db'), { upkeep: false, bus: { root: join(home, 'run-agent') } })
    try {
      return await work(postern)
    } finally {
      await postern.close()
    }
  }
  await copyStore(home, addPeople)
  await within(({ handoff }) => handoff.init({ project }))
  return {
    home,
    project,
    within,
    ask: (...words) => warmPosternJson({ home, cwd: project }, ...words),
    raw: (agent, { args = [], era = 'legacy', wrap = [] } = {}) =>
      startRawClient({
        command: [...wrap, process.execPath, EXECUTABLE, 'mcp', '--agent', agent, ...args],
        env,
        cwd: project,
        era,
      }),
    async client({ era, args, capabilities = {}, prepare }) {
      const versionNegotiation = era === 'modern' ? { mode: { pin: MODERN } } : {}
      const client = new Client({ name: 'official', version: '1' }, { capabilities, versionNegotiation })
      prepare?.(client)
      const words = [EXECUTABLE, 'mcp', '--agent', 'quinn', ...args]
      await client.connect(new StdioClientTransport({ command: process.execPath, args: words, env, cwd: project }))
      onTestFinished(() => client.close())
      return client
    },
  }
}

async function addPeople({ agents }: Postern): Promise<void> {
  await agents.add({ id: 'quinn' })
  await agents.add({ id: 'mindy' })
  await agents.add({ id: 'justin', kind: 'human', isOwner: true })
  await agents.add({ id: 'anna', kind: 'human' })
}

/** Registers this very process as a session of quinn: what it starts is started by that agent's host. */
export async function beginHere(within: Scene['within']): Promise<void> {
  const pidStartedAt = processStart(process.pid)
  if (pidStartedAt === undefined) throw new Error('it is not known when this process started')
  const session = { id: 'ses_here', agent: 'quinn', host: 'generic', pid: process.pid, pidStartedAt }
  await within(({ sessions }) => sessions.begin(session))
}
