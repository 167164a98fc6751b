import type { InboxMessage } from '../../../src/model/delivery.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { caller, type RuleOptions } from '../suite.ts'

/** Seed 001's space: three agents and a person, and somebody outside. */
export const TEAM: NonNullable<RuleOptions['agents']> = [
  'designer',
  'developer',
  'analyst',
  'outsider',
  { id: 'husam', kind: 'human' },
]

export const MEMBERS = ['analyst', 'designer', 'developer', 'husam'] as const

export const asHusam = (postern: Postern) => postern.as(caller('husam', 'human'))
export const asAnalyst = (postern: Postern) => postern.as(caller('analyst'))
export const asDesigner = (postern: Postern) => postern.as(caller('designer'))
export const asOutsider = (postern: Postern) => postern.as(caller('outsider'))

export function makeAlpha(postern: Postern) {
  return asHusam(postern).spaces.create({ id: 'alpha', name: 'Project Alpha', members: MEMBERS })
}

/** All that ever came into an inbox. */
export async function mailOf(postern: Postern, agent: string): Promise<readonly InboxMessage[]> {
  return (await postern.inbox.list({ agent, which: 'all', limit: 1_000 })).items
}

export async function wordsFor(postern: Postern, agent: string): Promise<string[]> {
  return (await mailOf(postern, agent)).map(({ content }) => content)
}

export async function saidIn(postern: Postern, id: string): Promise<string[]> {
  return (await postern.spaces.history({ id, limit: 1_000 })).items.map(({ content }) => content)
}
