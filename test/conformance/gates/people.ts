import { expect } from 'vitest'
import type { InboxMessage } from '../../../src/model/delivery.ts'
import type { CreateGate, Judgement } from '../../../src/model/gates.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { MAX_CONTINUED_STOPS } from '../../../src/model/session.ts'
import { configWith } from '../../helpers/config-with.ts'
import { DEAD_MACHINE_MS } from '../../helpers/patience.ts'
import { caller, type RuleOptions } from '../suite.ts'

/** Two agents and two people, of whom one is an owner. */
export const EVERYONE: NonNullable<RuleOptions['agents']> = [
  'quinn',
  'rex',
  { id: 'justin', kind: 'human', isOwner: true },
  { id: 'anna', kind: 'human' },
]

/** The same, with a configuration that lets rex hold quinn. */
export const REX_HOLDS_QUINN: RuleOptions = {
  agents: EVERYONE,
  config: configWith({ allow: { gates: { rex: ['quinn'] } } }),
}

export const MINUTE_MS = 60_000

export const asJustin = (postern: Postern) => postern.as(caller('justin', 'human'))
export const asAnna = (postern: Postern) => postern.as(caller('anna', 'human'))
export const asQuinn = (postern: Postern) => postern.as(caller('quinn'))
export const asRex = (postern: Postern) => postern.as(caller('rex'))

/** A gate of quinn that waits for a person, unless something else is said. */
export function gateOf(postern: Postern, more: Partial<CreateGate> = {}) {
  return postern.gates.create({ agent: 'quinn', kind: 'human', reason: 'Look at the migration first', ...more })
}

/** All that ever came into an inbox. */
export async function mailOf(postern: Postern, agent: string): Promise<readonly InboxMessage[]> {
  return (await postern.inbox.list({ agent, which: 'all' })).items
}

/** What came under keys that begin so, oldest first. */
export async function mailUnder(postern: Postern, agent: string, key: string): Promise<readonly InboxMessage[]> {
  return (await mailOf(postern, agent)).filter(({ dedupKey }) => dedupKey?.startsWith(key))
}

export async function stateOfGate(postern: Postern, id: string): Promise<string> {
  return (await postern.gates.show({ id })).gate.state
}

export async function gateSteps(postern: Postern, id: string): Promise<string[]> {
  return (await postern.gates.show({ id })).steps.map(({ step }) => step)
}

/** A session of quinn at the end of a turn. */
export function judge(postern: Postern, more: Partial<Parameters<Postern['gates']['judge']>[0]> = {}) {
  return postern.gates.judge({ agent: 'quinn', sessionId: 'ses-1', hook: 'stop', timeoutMs: DEAD_MACHINE_MS, ...more })
}

export function namesIn({ strict, soft }: Judgement): { strict: string[]; soft: string[] } {
  return { strict: strict.map(({ name }) => name), soft: soft.map(({ name }) => name) }
}

/** Lets the store count as many continued stops of a session as a turn may have. From then on a breach counts. */
export async function useUpStops(postern: Postern, id = 'ses-1'): Promise<void> {
  await postern.sessions.begin({ id, agent: 'quinn' })
  for (let stop = 0; stop < MAX_CONTINUED_STOPS; stop++) await postern.sessions.setStop({ id, outcome: 'continued' })
}

/** Expects that exactly this was told to an agent under one key, in the notice itself or in what it quotes. */
export async function expectTold(postern: Postern, agent: string, key: string, content: string): Promise<void> {
  const told = await mailUnder(postern, agent, key)
  const words = told.map(({ content, quotes = [] }) => [content, ...quotes.map(({ text }) => text)].join('\n'))
  expect(words).toEqual([expect.stringContaining(content)])
}
