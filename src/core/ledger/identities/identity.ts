import { isAgentId } from '../../../model/agent.ts'
import { agentOf, type Caller, SYSTEM_CALLER } from '../../../model/caller.ts'
import { PosternError } from '../../../model/errors.ts'
import type { LedgerIdentity } from '../../../model/ledger/identity.ts'
import type { Shelves, Store } from '../../../store/store.ts'
import type { Context, Ledgers, LedgerTx } from '../../context.ts'
import { makeIdentity } from './setup.ts'

/** Where an agent is found on a ledger. It never changes. */
export type LedgerPlace = Pick<LedgerIdentity, 'agent' | 'account' | 'inboundTopicId' | 'outboundTopicId'>

/** The agent whose topics a caller writes with. A caller that is no agent writes with those of the deployment. */
export function writerOf(caller: Caller): string {
  return agentOf(caller) ?? SYSTEM_CALLER.id
}

/** The agent's account and topics. On the local ledger it gets them with their first use. */
export async function ensureIdentity(ltx: LedgerTx, agent: string): Promise<LedgerPlace> {
  const { ctx, ledgers, tx } = ltx
  const { network, within } = ledgers.ledger
  const known = recalled(ctx, network, agent) ?? (await tx.ledger.identityOf({ network, agent }))
  if (known) return known
  if (within) await makeIdentity(ltx, agent)
  return requireIdentity(tx, network, agent)
}

/** The identity of an agent that must be set up already. */
export async function requireIdentity(shelves: Shelves, network: string, agent: string): Promise<LedgerIdentity> {
  const identity = await shelves.ledger.identityOf({ network, agent })
  if (identity) return identity
  throw new PosternError('LEDGER_NOT_SET_UP', { agent, network })
}

/**
 * Reads, before a transaction, the places of agents that are not cached yet. Only committed places are cached: those that
 * a transaction has made may still be rolled back.
 */
export async function recallIdentities(
  ctx: Context,
  { ledger: { network } }: Ledgers,
  agents: readonly string[],
): Promise<void> {
  for (const agent of agents) {
    if (!isNamed(agent) || recalled(ctx, network, agent)) continue
    const identity = await ctx.store.read.ledger.identityOf({ network, agent })
    if (identity) placesOf(ctx.store).set(keyOf(network, agent), placeIn(identity))
  }
}

/** An agent without a valid name has no place, and the store is not asked for a name that it cannot hold. */
function isNamed(agent: unknown): boolean {
  return typeof agent === 'string' && (isAgentId(agent) || agent === SYSTEM_CALLER.id)
}

function recalled(ctx: Context, network: string, agent: string): LedgerPlace | undefined {
  return places.get(ctx.store)?.get(keyOf(network, agent))
}

const places = new WeakMap<Store, Map<string, LedgerPlace>>()

function placesOf(store: Store): Map<string, LedgerPlace> {
  const known = places.get(store) ?? new Map<string, LedgerPlace>()
  places.set(store, known)
  return known
}

function keyOf(network: string, agent: string): string {
  return `${network}/${agent}`
}

function placeIn({ agent, account, inboundTopicId, outboundTopicId }: LedgerIdentity): LedgerPlace {
  return { agent, account, inboundTopicId, outboundTopicId }
}
