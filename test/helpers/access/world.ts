import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { processStart } from '../../../src/kit/node/processes.ts'
import type { Caller } from '../../../src/model/caller.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { openServer, type TestServer, type TestServerOptions } from '../http-server.ts'
import { temporaryFolder } from '../temp.ts'

/** Objects belong to quinn or, if a service calls, to sentry. Mindy is another agent. */
export const AGENTS = ['quinn', 'mindy'] as const
const KINDS = { quinn: 'ai', mindy: 'ai', sentry: 'service', justin: 'human' } as const

/** A server with agents, a service and a person, and a maker of things that belong to one of them. */
export interface AccessWorld {
  readonly server: TestServer
  /** The Postern of a caller that has proved who it is. */
  as(id: string): Postern
  /** A name that nothing else has. */
  name(): string
  /** A text that no other thing holds. An answer that holds it has told of that thing. */
  mark(): string
  /** The last text that `mark` made. */
  lastMark(): string
  /** A folder that a person has set up for handoffs, in which quinn and sentry have sessions, and mindy has none. */
  readonly project: string
  readonly home: string
}

export async function openWorld(options: Pick<TestServerOptions, 'hasUpkeep' | 'store'> = {}): Promise<AccessWorld> {
  // Every operation is called many times. Rates are the subject of other tests.
  const server = await openServer({ limits: { pairBurst: 100_000 }, ...options })
  const { postern } = server.served
  for (const [id, kind] of Object.entries(KINDS)) await postern.agents.add({ id, kind })
  const project = join(temporaryFolder(), 'project')
  mkdirSync(join(project, '.git'), { recursive: true })
  const justin = postern.as(callerOf('justin'))
  await justin.handoff.init({ project })
  const pid = process.pid
  for (const agent of ['quinn', 'sentry']) {
    await postern.sessions.begin({ id: `${agent}-here`, agent, project, pid, pidStartedAt: processStart(pid) ?? 1 })
  }
  await justin.ledger.setup({ agents: [...AGENTS] })
  let made = 0
  return {
    server,
    as: (id) => postern.as(callerOf(id)),
    name: () => `thing-${++made}`,
    mark: () => `secret${++made}x`,
    lastMark: () => `secret${made}x`,
    project,
    home: dirname(server.busRoot),
  }
}

export function callerOf(id: string): Caller {
  return { id, kind: KINDS[id as keyof typeof KINDS], verified: true, via: 'http' }
}
