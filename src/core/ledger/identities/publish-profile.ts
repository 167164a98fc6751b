import { type Agent, isAgentId } from '../../../model/agent.ts'
import { SYSTEM_CALLER } from '../../../model/caller.ts'
import { type AgentDefinition, createDefinition } from '../../../model/ledger/definition.ts'
import type { LedgerIdentity } from '../../../model/ledger/identity.ts'
import { DEFINITIONS_MEMO, formatProfileMemo } from '../../../model/ledger/memos.ts'
import type { LedgerParcel, ParcelDraft, ParcelStep } from '../../../model/ledger/parcel.ts'
import { createProfile, PROFILE_MIME, PROFILE_VERSION, type Profile } from '../../../model/ledger/profile.ts'
import type { LedgerTopic } from '../../../model/ledger/topic.ts'
import { formatAccountKey } from '../../../model/ledger/topic-key.ts'
import type { Shelves } from '../../../store/store.ts'
import type { Ledgers, LedgerTx } from '../../context.ts'
import { draftParcel, fileSteps, submissionTo } from '../drafts.ts'

/** Setups and profiles are published one after the other, so that there is one definitions topic and no older profile wins. */
export const DEFINITIONS_LANE = 'definitions'

type Named = Pick<Agent, 'id' | 'kind' | 'displayName'>

/** The deployment itself, which is registered nowhere. */
const DEPLOYMENT: Named = { id: SYSTEM_CALLER.id, kind: 'service', displayName: 'Postern' }

export interface ProfileForms {
  readonly profile: Profile
  readonly definition: AgentDefinition
}

/** What is said of an agent on the ledger. An agent that was removed keeps its profile. */
export async function profileForms(shelves: Shelves, identity: LedgerIdentity): Promise<ProfileForms> {
  const profile = createProfile(await namedAgent(shelves, identity.agent), identity)
  return { profile, definition: createDefinition(identity.agent, profile) }
}

export async function uaidOf({ codec }: Ledgers, shelves: Shelves, identity: LedgerIdentity): Promise<string> {
  const { network, account, inboundTopicId, capabilities, agent } = identity
  const { displayName: name } = await namedAgent(shelves, agent)
  return codec.uaid({ network, name, version: PROFILE_VERSION, account, inboundTopicId, capabilities })
}

async function namedAgent(shelves: Shelves, agent: string): Promise<Named> {
  return (isAgentId(agent) ? await shelves.agents.get(agent) : undefined) ?? { ...DEPLOYMENT, id: agent }
}

/** The profile as an HCS-1 file, the seed's definition of the agent, and the memo of its account where that is its alone. */
export async function profileDraft(ltx: LedgerTx, identity: LedgerIdentity): Promise<ParcelDraft> {
  const { ctx, ledgers, tx } = ltx
  const { operator } = ledgers.ledger
  const { agent, account } = identity
  const { profile, definition } = await profileForms(tx, identity)
  const content = JSON.stringify(profile)
  const file = fileSteps(ctx, ledgers, { agent, account: operator, mime: PROFILE_MIME, content })
  const memo: ParcelStep = { kind: 'memo', account, memo: formatProfileMemo(file.reference) }
  return draftParcel(ledgers, {
    purpose: 'profile',
    about: agent,
    lane: DEFINITIONS_LANE,
    payer: operator,
    steps: [
      ...file.steps,
      ...(await definitionSteps(ltx, JSON.stringify(definition))),
      ...(account === operator ? [] : [memo]),
    ],
    message: null,
  })
}

async function definitionSteps({ ctx, ledgers, tx }: LedgerTx, text: string): Promise<readonly ParcelStep[]> {
  const topic = await definitionsTopic(ledgers, tx)
  const name = ctx.newId('definitions')
  const submission = submissionTo(topic?.id ?? `{${name}}`, text, '', { mayChunk: true })
  return topic ? [submission] : [definitionsStep(ledgers, name), submission]
}

export async function definitionsTopic({ ledger }: Ledgers, shelves: Shelves): Promise<LedgerTopic | undefined> {
  const [topic] = await shelves.ledger.listTopics({ network: ledger.network, role: 'definitions' })
  return topic
}

export function definitionsStep({ ledger: { operator } }: Ledgers, name: string): ParcelStep {
  const key = formatAccountKey(operator)
  return {
    kind: 'topic',
    name,
    memo: DEFINITIONS_MEMO,
    adminKey: key,
    submitKey: key,
    role: 'definitions',
    agent: null,
    entity: null,
  }
}

/** The file that was published last is the agent's profile. */
export async function completeProfile(
  {
    ctx,
    ledgers: {
      ledger: { network },
    },
    tx,
  }: LedgerTx,
  { about, steps, made }: LedgerParcel,
): Promise<void> {
  // Whoever changes the profile meanwhile has committed by the time we hold the counter.
  await tx.ledger.nextNumber()
  const identity = about === null ? undefined : await tx.ledger.identityOf({ network, agent: about })
  const file = steps.find((step) => step.kind === 'topic' && step.role === 'file')
  const profileTopicId = file?.kind === 'topic' ? made[file.name] : undefined
  if (!identity || profileTopicId === undefined) return
  await tx.ledger.putIdentity({ ...identity, profileTopicId, updatedAt: ctx.store.now() })
}
