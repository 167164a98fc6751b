import { isProgram, SYSTEM_CALLER } from '../../../model/caller.ts'
import { DEFAULT_CAPABILITIES, type LedgerIdentity } from '../../../model/ledger/identity.ts'
import type { LedgerSetup } from '../../../model/ledger/ledgers.ts'
import { DEFINITIONS_MEMO, formatInboundMemo, formatOutboundMemo } from '../../../model/ledger/memos.ts'
import { priceOfSteps, toDollars } from '../../../model/ledger/price.ts'
import { formatAccountKey } from '../../../model/ledger/topic-key.ts'
import type { Shelves } from '../../../store/store.ts'
import type { Context, Ledgers, LedgerTx } from '../../context.ts'
import { requireAgent } from '../../registry/find.ts'
import { requirePerson } from '../../registry/require-person.ts'
import { requireBudget } from '../budget.ts'
import { type Publication, type PublicationOutcome, publish, publishAll } from '../publish.ts'
import { labelOf } from '../status.ts'
import { draftParcel } from '../write-down.ts'
import {
  DEFINITIONS_LANE,
  definitionsTopic,
  newDefinitionsTopic,
  profilePublication,
  uaidOf,
} from './publish-profile.ts'

/** Gives topics and a profile to agents that have none. It may be repeated: setups on their way are left alone. */
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

/** The deployment itself has topics too. Callers that are no agents write with them. */
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

/** Gives an agent its account and topics on the local ledger, unless another transaction has just done so. */
export async function makeIdentity(ltx: LedgerTx, agent: string): Promise<void> {
  const { ledgers, tx } = ltx
  if (agent !== SYSTEM_CALLER.id) await requireAgent(tx, agent)
  const { network } = ledgers.ledger
  // A transaction that has begun the same is committed by the time this one holds the counter.
  const account = `0.0.${await tx.ledger.nextNumber()}`
  if (await tx.ledger.identityOf({ network, agent })) return
  await publish(ltx, setupPublication(agent, account))
}

/** Writes down what is missing, if the budget allows all of it. */
async function setUpElsewhere(ltx: LedgerTx, names: readonly string[]): Promise<Outcome> {
  const { ledgers, tx } = ltx
  const { network } = ledgers.ledger
  // A transaction that has begun the same is committed by the time this one holds the counter.
  await tx.ledger.nextNumber()
  const open = await tx.ledger.openParcels({ lane: DEFINITIONS_LANE })
  const isOpen = (about: string) => open.some((parcel) => parcel.about === about)
  const hasDefinitions = isOpen(DEFINITIONS_MEMO) || (await definitionsTopic(ledgers, tx)) !== undefined
  const missing: PricedPublication[] = hasDefinitions ? [] : [await priced(ltx, definitionsPublication(ledgers))]
  const agents: (LedgerIdentity & { readonly isNew: boolean })[] = []
  const waiting: string[] = []
  for (const agent of names) {
    const identity = await tx.ledger.identityOf({ network, agent })
    if (identity) agents.push({ ...identity, isNew: false })
    else waiting.push(agent)
    if (!isOpen(agent)) missing.push(...(await missingOf(ltx, agent, identity)))
  }
  const price = missing.reduce((sum, each) => sum + each.price, 0)
  await requireBudget(ltx, price)
  const publications = missing.map(({ publication }) => publication)
  await publishAll(ltx, publications, { budget: 'ignore' })
  return { agents, waiting, price: toDollars(price) }
}

interface PricedPublication {
  readonly publication: Publication
  /** With that of what follows once it is published. */
  readonly price: number
}

async function priced(ltx: LedgerTx, publication: Publication): Promise<PricedPublication> {
  return { publication, price: (await draftParcel(ltx, publication)).price }
}

async function missingOf(
  ltx: LedgerTx,
  agent: string,
  identity: LedgerIdentity | undefined,
): Promise<readonly PricedPublication[]> {
  const { ctx, ledgers } = ltx
  if (identity) {
    const isPublished = identity.profileTopicId !== null
    return isPublished ? [] : [await priced(ltx, await profilePublication(ltx, identity))]
  }
  const setup = await priced(ltx, setupPublication(agent, accountOf(ledgers, agent)))
  const profile = await profilePublication(ltx, identityOf(ctx, ledgers, setup.publication, UNKNOWN_TOPICS))
  const { steps } = await draftParcel(ltx, profile)
  // The topic of all definitions is there by then, and is paid for once.
  const later = steps.filter((step) => step.kind !== 'topic' || step.role !== 'definitions')
  return [{ ...setup, price: setup.price + priceOfSteps(later) }]
}

/** The account that the configuration names for the agent, or the operator's, which agents share. */
function accountOf({ ledger, settings: { accounts } }: Ledgers, agent: string): string {
  return (Object.hasOwn(accounts, agent) ? accounts[agent] : undefined) ?? ledger.operator
}

/** As long as real ids, so that the price is right. */
const UNKNOWN_TOPICS = { inbound: '0.0.99999999', outbound: '0.0.99999999' }

function definitionsPublication(ledgers: Ledgers): Publication {
  return {
    purpose: 'work',
    about: DEFINITIONS_MEMO,
    lane: DEFINITIONS_LANE,
    payer: ledgers.ledger.operator,
    message: null,
    async write(entryWriter) {
      await entryWriter.createTopic({ ...newDefinitionsTopic(ledgers), name: DEFINITIONS_LANE })
    },
  }
}

/** Two topics: anybody writes to the inbound one, only the agent itself to the outbound one. */
function setupPublication(agent: string, account: string): Publication {
  const adminKey = formatAccountKey(account)
  const both = { adminKey, agent, entity: null }
  const inbound = { name: 'inbound', role: 'inbound', memo: formatInboundMemo(account), submitKey: null } as const
  const outbound = { name: 'outbound', role: 'outbound', memo: formatOutboundMemo(), submitKey: adminKey } as const
  return {
    purpose: 'setup',
    about: agent,
    lane: DEFINITIONS_LANE,
    payer: account,
    message: null,
    async write(entryWriter) {
      await entryWriter.createTopic({ ...both, ...inbound })
      await entryWriter.createTopic({ ...both, ...outbound })
    },
  }
}

/** The agent is known on the ledger from now on, and its profile follows, which the setup has paid for. */
export async function completeSetup(ltx: LedgerTx, outcome: PublicationOutcome): Promise<void> {
  const { ctx, ledgers, tx } = ltx
  const identity = identityOf(ctx, ledgers, outcome, outcome.topics)
  const named = { ...identity, uaid: await uaidOf(ledgers, tx, identity) }
  await tx.ledger.putIdentity(named)
  await publish(ltx, await profilePublication(ltx, named), { budget: 'ignore' })
}

function identityOf(
  ctx: Context,
  { ledger }: Ledgers,
  { about, payer }: Pick<Publication, 'about' | 'payer'>,
  topics: PublicationOutcome['topics'],
): LedgerIdentity {
  return {
    network: ledger.network,
    agent: about ?? '',
    account: payer,
    inboundTopicId: topics.inbound ?? '',
    outboundTopicId: topics.outbound ?? '',
    capabilities: DEFAULT_CAPABILITIES,
    model: null,
    bio: null,
    profileTopicId: null,
    uaid: null,
    updatedAt: ctx.store.now(),
  }
}
