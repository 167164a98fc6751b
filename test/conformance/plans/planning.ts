import { expect } from 'vitest'
import type { InboxMessage } from '../../../src/model/delivery.ts'
import type { Postern } from '../../../src/model/postern.ts'
import type { PlanInFull, SetPlan } from '../../../src/model/sources/plans.ts'
import type { World } from '../suite.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** Sets one plan of quinn. */
export async function plan(postern: Postern, input: SetPlan): Promise<PlanInFull> {
  const [set] = await postern.plans.set({ plans: [{ agent: 'quinn', instruction: 'look', ...input }] })
  return set ?? expect.fail('nothing was set')
}

/** Every message of a plan that an agent has got, in the order of its inbox. */
export async function firings(postern: Postern, agent = 'quinn'): Promise<InboxMessage[]> {
  const found: InboxMessage[] = []
  for (let after: string | null | undefined; after !== null; ) {
    const page = await postern.inbox.list({ agent, which: 'all', limit: 1_000, ...(after !== undefined && { after }) })
    found.push(...page.items.filter(({ type }) => type === 'plan'))
    after = page.next
  }
  return found
}

/** When each of them was for. */
export async function instants(postern: Postern, agent = 'quinn'): Promise<string[]> {
  return (await firings(postern, agent)).map(({ payload }) =>
    String((payload as { scheduledAt?: unknown }).scheduledAt),
  )
}

export const iso = (ms: number): string => new Date(ms).toISOString()

/** Lets time go on in steps, with a look at what is due after each. */
export async function live(
  { postern, advance }: Pick<World, 'postern' | 'advance'>,
  { stepMs, steps }: { readonly stepMs: number; readonly steps: number },
): Promise<void> {
  for (let step = 0; step < steps; step++) {
    advance(stepMs)
    await postern.upkeep.run()
  }
}
