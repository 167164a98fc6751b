import { processStart } from '../../../kit/node/processes.ts'
import type { AgentKind } from '../../../model/agent.ts'
import type { Postern } from '../../../model/postern.ts'

/** Who plays, and where those at work sit. Rex is away: what is sent to it waits. */
export const CAST = {
  justin: { kind: 'human', displayName: 'Justin', isOwner: true },
  robin: { kind: 'human', displayName: 'Robin' },
  quinn: { kind: 'ai', displayName: 'Quinn', host: 'claude-code', project: '/srv/harbour' },
  mindy: { kind: 'ai', displayName: 'Mindy', host: 'codex', project: '/srv/harbour' },
  tess: { kind: 'ai', displayName: 'Tess', host: 'gemini', project: '/srv/harbour-docs' },
  rex: { kind: 'ai', displayName: 'Rex' },
} as const satisfies Record<string, Player>

interface Player {
  readonly kind: AgentKind
  readonly displayName: string
  readonly isOwner?: boolean
  readonly host?: string
  readonly project?: string
}

export type Name = keyof typeof CAST

export const PERSON: Name = 'justin'
export const BUS = { project_id: 'harbour', task_id: 'task-checkout' } as const
export const SPACE = 'release-42'

/** The same Postern for one of them. */
export function as(postern: Postern, name: Name): Postern {
  return postern.as({ id: name, kind: CAST[name].kind, verified: true, via: 'demo' })
}

export function sessionOf(name: Name): string {
  return `demo-${name}`
}

/** Registers everybody, and begins the sessions of those at work: they live for as long as this process does. */
export async function bringOn(postern: Postern): Promise<void> {
  for (const [id, player] of Object.entries(CAST)) {
    const { kind, displayName } = player
    await postern.agents.add({ id, kind, displayName, ...('isOwner' in player && { isOwner: player.isOwner }) })
  }
  for (const name of atWork()) await note(postern, name, 'session.start')
}

/** Those who sit in a host. */
export function atWork(): readonly Name[] {
  return (Object.keys(CAST) as Name[]).filter((name) => 'host' in CAST[name])
}

/** What the hook of a host would say of its session. Only a local process may name a pid or end a turn, so no agent is the caller. */
export async function note(postern: Postern, name: Name, event: string): Promise<void> {
  const player: Player = CAST[name]
  const { pid } = process
  const startedAt = processStart(pid)
  await postern.sessions.note({
    id: sessionOf(name),
    agent: name,
    event,
    pid,
    ...(startedAt !== undefined && { pidStartedAt: startedAt }),
    ...(player.host !== undefined && { host: player.host }),
    ...(player.project !== undefined && { project: player.project }),
  })
}

/** The turn is over, and nothing holds it. */
export async function rest(postern: Postern, name: Name): Promise<void> {
  await note(postern, name, 'turn.stop')
  await postern.sessions.setStop({ id: sessionOf(name), outcome: 'granted' })
}

/** Reads what waits, as a hook would show it; some of it is then dealt with. */
export async function readMail(postern: Postern, name: Name, { isDealtWith = false } = {}): Promise<number> {
  const own = as(postern, name)
  const { offer, messages } = await own.inbox.drain({ agent: name, sessionId: sessionOf(name), via: 'prompt.submit' })
  if (offer === null) return 0
  await own.inbox.printed({ offerId: offer.id })
  await own.inbox.confirm({ offerId: offer.id, evidence: 'the next event of its session' })
  if (isDealtWith) await own.inbox.ack({ agent: name, ids: messages.map(({ id }) => id) })
  return messages.length
}
