import type { DeliveryState } from '../../model/delivery.ts'
import type { HealthCheck, HealthReport } from '../../model/postern.ts'
import type { Context } from '../context.ts'
import { checkLedger } from '../ledger/check.ts'
import { checkServices } from '../services/check.ts'

const MAX_VIOLATIONS = 20

type Counts = Readonly<Record<DeliveryState, number>>

/** Everything that can be said about the health of what is stored. Looking changes nothing that is stored. */
export async function checkHealth(ctx: Context): Promise<HealthReport> {
  const counts = await ctx.store.read.upkeep.counts()
  const held = counts.held - (await ctx.store.read.snoozes.countSnoozed())
  const checks = [
    ...(await ctx.store.check()),
    await verified(ctx),
    await conservation(ctx, counts),
    putAside('held', held, 'Let one go with "postern inbox held release <id>", or cancel it.'),
    putAside('dead', counts.dead, 'Try one again with "postern inbox dead retry <id>".'),
    await people(ctx),
    ...(await checkServices(ctx)),
    ...(await checkLedger(ctx)),
    ...(ctx.inspect?.() ?? []),
  ]
  return { ok: checks.every((check) => check.ok || check.level !== 'error'), checks }
}

/** What the last full check found. It reads everything, so it is made only when somebody asks for it. */
async function verified(ctx: Context): Promise<HealthCheck> {
  const last = await ctx.store.read.upkeep.lastVerified()
  const faults = last?.faults ?? 0
  const found = faults === 0 ? 'everything is sound' : counted(faults, 'fault')
  return {
    name: 'store.verified',
    ok: faults === 0,
    level: 'error',
    detail: last
      ? `full check of ${counted(last.messages, 'message')} at ${new Date(last.at).toISOString()}: ${found}`
      : 'no full check yet; "postern doctor --full" makes one',
    next: 'Run "postern doctor --full", which names them. Damaged messages are never shown. If pages are broken, restore a backup with "postern restore <backup>".',
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

async function conservation(ctx: Context, counts: Counts): Promise<HealthCheck> {
  const violations = await ctx.store.audit({ limit: MAX_VIOLATIONS })
  const states = Object.entries(counts).filter(([, count]) => count > 0)
  return {
    name: 'store.conservation',
    ok: violations.length === 0,
    level: 'error',
    detail:
      violations.length > 0
        ? violations.join('; ')
        : `every delivery is accounted for (${states.map(([state, count]) => `${count} ${state}`).join(', ') || 'none yet'})`,
    next: 'Keep the store as it is and report this: it should never happen.',
  }
}

function putAside(state: 'held' | 'dead', count: number, next: string): HealthCheck {
  return {
    name: `inbox.${state}`,
    ok: count === 0,
    level: 'warning',
    detail: count === 0 ? `nothing is ${state}` : `${count} ${state}; see "postern inbox ${state} list"`,
    next,
  }
}

async function people(ctx: Context): Promise<HealthCheck> {
  const agents = await ctx.store.read.agents.list({ removed: false })
  const humans = agents.filter((agent) => agent.kind === 'human')
  return {
    name: 'agents.people',
    ok: humans.length > 0,
    level: 'note',
    detail: `${agents.length} registered, ${humans.length} of them people`,
    next: 'Register a person with "postern agent add <you> --kind human --owner", so that a person can be told.',
  }
}
