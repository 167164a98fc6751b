import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import type { Store } from '../../../src/store/store.ts'
import { createDeployment, type Deployment } from '../../helpers/ledger/deployment.ts'
import { type Elsewhere, openElsewhere } from '../../helpers/ledger/elsewhere.ts'

/** A deployment and a ledger elsewhere, both in one folder, with a clock that moves only when somebody says so. */
export interface FaultWorld {
  readonly store: Store
  readonly elsewhere: Elsewhere
  readonly clock: { now: number }
  close(): Promise<void>
}

const BEGINNING = Date.UTC(2026, 0, 15, 9)

export async function openFaultWorld(folder: string): Promise<FaultWorld> {
  const clock = { now: BEGINNING }
  const now = () => clock.now
  const store = await openSqliteStore({ path: join(folder, 'postern.db'), now, random: Math.random })
  const elsewhere = await openElsewhere({ path: join(folder, 'network.db'), now })
  return {
    store,
    elsewhere,
    clock,
    async close() {
      await elsewhere.close()
      await store.close()
    },
  }
}

/** A folder in which two agents and a person have their topics already, and a task too: it is copied for every try. */
export async function prepare(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const world = await openFaultWorld(folder)
  const us = createDeployment(world.store, world.elsewhere.ledger)
  await us.postern.agents.add({ id: 'quinn' })
  await us.postern.agents.add({ id: 'mindy' })
  await us.postern.agents.add({ id: 'justin', kind: 'human', isOwner: true })
  await us.postern.ledger.setup({})
  await us.postern.ledger.createTopic({ entity: 'task:PROJ-12' })
  await us.settle()
  await world.close()
}

export function copyOf(prepared: string, folder: string): string {
  cpSync(prepared, folder, { recursive: true })
  return folder
}

/** Goes on until nothing is to do any more, and lets time pass so that nothing waits for its next try. */
export async function finish(us: Deployment, { clock }: FaultWorld): Promise<void> {
  for (let round = 0; round < 20; round++) {
    await us.settle()
    const waiting = await us.ctx.store.read.ledger.countParcels({ state: 'waiting' })
    if (waiting === 0) return
    clock.now += 61_000
  }
}
