import { onTestFinished } from 'vitest'
import { createDeployment, type Deployment, type DeploymentOptions } from '../../helpers/ledger/deployment.ts'
import { type Elsewhere, openElsewhere } from '../../helpers/ledger/elsewhere.ts'
import type { StoreWorld } from './stores.ts'

/** A deployment whose agents are on a ledger that is not a part of its store. */
export interface Scene extends Omit<StoreWorld, 'again'> {
  readonly us: Deployment
  readonly elsewhere: Elsewhere
  /** A second process on the same store and the same ledger. */
  again(): Promise<Deployment>
}

export interface SceneOptions extends DeploymentOptions {
  readonly agents?: readonly string[]
  readonly people?: readonly string[]
  readonly isPublic?: boolean
}

export async function openScene(open: () => Promise<StoreWorld>, options: SceneOptions = {}): Promise<Scene> {
  const { agents = ['quinn', 'mindy'], people = ['justin'], isPublic = false, ...given } = options
  const world = await open()
  const elsewhere = await openElsewhere({ isPublic })
  onTestFinished(() => elsewhere.close())
  const us = createDeployment(world.store, elsewhere.ledger, given)
  for (const id of agents) await us.postern.agents.add({ id })
  for (const id of people) await us.postern.agents.add({ id, kind: 'human', isOwner: true })
  await us.postern.ledger.setup({})
  await us.settle()
  return { ...world, us, elsewhere, again: async () => createDeployment(await world.again(), elsewhere.ledger, given) }
}

/** What waits in an inbox, oldest first. */
export async function waiting({ postern }: Deployment, agent: string) {
  return (await postern.inbox.list({ agent })).items
}
