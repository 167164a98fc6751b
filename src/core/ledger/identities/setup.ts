import { isProgram, SYSTEM_CALLER } from '../../../model/caller.ts'
import { DEFAULT_CAPABILITIES, type LedgerIdentity } from '../../../model/ledger/identity.ts'
import type { LedgerSetup } from '../../../model/ledger/ledgers.ts'
import { DEFINITIONS_MEMO, formatInboundMemo, formatOutboundMemo } from '../../../model/ledger/memos.ts'
import type { LedgerParcel, ParcelDraft } from '../../../model/ledger/parcel.ts'
import { toDollars } from '../../../model/ledger/price.ts'
import { formatAccountKey } from '../../../model/ledger/topic-key.ts'
import type { Shelves } from '../../../store/store.ts'
import { requirePerson } from '../../agents/add.ts'
import { requireAgent } from '../../agents/roster.ts'
import type { Context, Ledgers, LedgerTx } from '../../context.ts'
import { requireBudget } from '../budget.ts'
import { draftParcel } from '../drafts.ts'
import { publish } from '../publish.ts'
import { labelOf } from '../status.ts'
import { DEFINITIONS_LANE, definitionsStep, definitionsTopic, profileDraft, uaidOf } from './publish-profile.ts'

/** Topics and a profile for agents that have none. To repeat it changes nothing: what is on its way is left alone. */
export async function setupLedger(ctx: Context, input: { readonly agents?: readonly string[] }): Promise<LedgerSetup> {
  requireOwnOrPerson(ctx, input.agents)
  const ledgers = await ctx.ledger()
  const ledger = labelOf(ledgers.ledger)
  return ctx.store.transact(async (tx) => {
    const ltx = { ctx, ledgers, tx }
    const names = await namesIn(tx, input.agents)
    const { within } = ledgers.ledger
    const outcome = within ? await setUpAtOnce(ltx, names) : await setUpElsewhere(ltx, names)
    return { ledger, ...outcome }
  })
}

function requireOwnOrPerson({ caller }: Context, agents: readonly string[] | undefined): void {
  if (isProgram(caller) && agents?.length === 1 && agents[0] === caller.id) return
  requirePerson(caller, 'give other agents their topics on the ledger')
}

/** The deployment itself has topics too: whoever is no agent writes with them. */
async function namesIn(tx: Shelves, agents: readonly string[] | undefined): Promise<readonly string[]> {
  if (agents === undefined) {
    const registered = await tx.agents.list({ removed: false })
    return [SYSTEM_CALLER.id, ...registered.map(({ id }) => id)]
  }
  const names = [...new Set(agents)].sort()
  for (const name of names) await requireAgent(tx, name)
  return names
}

type Outcome = Pick<LedgerSetup, 'agents' | 'waiting' | 'price'>

async function setUpAtOnce(ltx: LedgerTx, names: readonly string[]): Promise<Outcome> {
  const { ledgers, tx } = ltx
  const { network } = ledgers.ledger
  const agents: (LedgerIdentity & { readonly isNew: boolean })[] = []
  for (const agent of names) {
    const known = await tx.ledger.identityOf({ network, agent })
    if (!known) await makeIdentity(ltx, agent)
    const identity = known ?? (await tx.ledger.identityOf({ network, agent }))
    if (identity) agents.push({ ...identity, isNew: !known })
  }
  return { agents, waiting: [], price: 0 }
}

/** Gives an agent its account and topics on the local ledger, unless somebody else has done so just now. */
export async function makeIdentity(ltx: LedgerTx, agent: string): Promise<void> {
  const { ledgers, tx } = ltx
  if (agent !== SYSTEM_CALLER.id) await requireAgent(tx, agent)
  const { network } = ledgers.ledger
  // Whoever has begun the same has committed by the time we hold the counter.
  const account = `0.0.${await tx.ledger.nextNumber()}`
  if (await tx.ledger.identityOf({ network, agent })) return
  await publish(ltx, setupDraft(ledgers, agent, account))
}

/** What is to be published is written down, once it is known that it can be paid for. */
async function setUpElsewhere(ltx: LedgerTx, names: readonly string[]): Promise<Outcome> {
  const { ledgers, tx } = ltx
  const { network } = ledgers.ledger
  // Whoever has begun the same has committed by the time we hold the counter.
  await tx.ledger.nextNumber()
  const open = await tx.ledger.openParcels({ lane: DEFINITIONS_LANE })
  const isOpen = (about: string) => open.some((parcel) => parcel.about === about)
  const hasDefinitions = isOpen(DEFINITIONS_MEMO) || (await definitionsTopic(ledgers, tx)) !== undefined
  const missing: Missing[] = hasDefinitions ? [] : [{ draft: definitionsDraft(ledgers), laterPrice: 0 }]
  const agents: (LedgerIdentity & { readonly isNew: boolean })[] = []
  const waiting: string[] = []
  for (const agent of names) {
    const identity = await tx.ledger.identityOf({ network, agent })
    if (identity) agents.push({ ...identity, isNew: false })
    else waiting.push(agent)
    if (!isOpen(agent)) missing.push(...(await missingOf(ltx, agent, identity)))
  }
  const price = missing.reduce((sum, { draft, laterPrice }) => sum + draft.price + laterPrice, 0)
  await requireBudget(ltx, price)
  for (const { draft } of missing) await publish(ltx, draft)
  return { agents, waiting, price: toDollars(price) }
}

interface Missing {
  readonly draft: ParcelDraft
  /** Of what follows once it is published. */
  readonly laterPrice: number
}

async function missingOf(
  ltx: LedgerTx,
  agent: string,
  identity: LedgerIdentity | undefined,
): Promise<readonly Missing[]> {
  const { ctx, ledgers } = ltx
  if (identity) {
    const isPublished = identity.profileTopicId !== null
    return isPublished ? [] : [{ draft: await profileDraft(ltx, identity), laterPrice: 0 }]
  }
  const draft = setupDraft(ledgers, agent, accountOf(ledgers, agent))
  const profile = await profileDraft(ltx, identityOf(ctx, ledgers, draft, UNKNOWN_TOPICS))
  // The topic of all definitions is there by then, and is paid for once.
  const steps = profile.steps.filter((step) => step.kind !== 'topic' || step.role !== 'definitions')
  return [{ draft, laterPrice: draftParcel(ledgers, { ...profile, steps }).price }]
}

/** Of its own where the configuration names one; else agents share the operator's. */
function accountOf({ ledger, settings: { accounts } }: Ledgers, agent: string): string {
  return (Object.hasOwn(accounts, agent) ? accounts[agent] : undefined) ?? ledger.operator
}

/** As long as real ones, for a price. */
const UNKNOWN_TOPICS = { inbound: '0.0.99999999', outbound: '0.0.99999999' }

function definitionsDraft(ledgers: Ledgers): ParcelDraft {
  const { operator } = ledgers.ledger
  return draftParcel(ledgers, {
    purpose: 'work',
    about: DEFINITIONS_MEMO,
    lane: DEFINITIONS_LANE,
    payer: operator,
    steps: [definitionsStep(ledgers, DEFINITIONS_LANE)],
    message: null,
  })
}

/** Two topics with the memos of the seed: anybody writes to the one, only the agent itself to the other. */
function setupDraft(ledgers: Ledgers, agent: string, account: string): ParcelDraft {
  const adminKey = formatAccountKey(account)
  const both = { kind: 'topic', adminKey, agent, entity: null } as const
  return draftParcel(ledgers, {
    purpose: 'setup',
    about: agent,
    lane: DEFINITIONS_LANE,
    payer: account,
    steps: [
      { ...both, name: 'inbound', role: 'inbound', memo: formatInboundMemo(account), submitKey: null },
      { ...both, name: 'outbound', role: 'outbound', memo: formatOutboundMemo(), submitKey: adminKey },
    ],
    message: null,
  })
}

/** The agent is known on the ledger from now on, and its profile follows. */
export async function completeSetup(ltx: LedgerTx, parcel: LedgerParcel): Promise<void> {
  const { ctx, ledgers, tx } = ltx
  const identity = identityOf(ctx, ledgers, parcel, parcel.made)
  const named = { ...identity, uaid: await uaidOf(ledgers, tx, identity) }
  await tx.ledger.putIdentity(named)
  await publish(ltx, await profileDraft(ltx, named))
}

function identityOf(
  ctx: Context,
  { ledger }: Ledgers,
  { about, payer }: ParcelDraft,
  made: Readonly<Record<string, string>>,
): LedgerIdentity {
  return {
    network: ledger.network,
    agent: about ?? '',
    account: payer,
    inboundTopicId: made['inbound'] ?? '',
    outboundTopicId: made['outbound'] ?? '',
    capabilities: DEFAULT_CAPABILITIES,
    model: null,
    bio: null,
    profileTopicId: null,
    uaid: null,
    updatedAt: ctx.store.now(),
  }
}
