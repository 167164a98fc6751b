import type { LedgerParcel, ParcelPurpose, ParcelStep } from '../../model/ledger/parcel.ts'
import { GENESIS_HASH, type LedgerTopic, type TopicRole } from '../../model/ledger/topic.ts'
import type { Context, LedgerTx } from '../context.ts'
import { completeAccept, completeRequest } from './connection-entries.ts'
import { completeProfile } from './identities/publish-profile.ts'
import { completeSetup } from './identities/setup.ts'
import type { PublicationOutcome } from './publish.ts'

/** Runs once the ledger has all of a publication, in the transaction that notes it. */
export type Completion = (ltx: LedgerTx, outcome: PublicationOutcome) => Promise<void>

const COMPLETIONS: Readonly<Partial<Record<ParcelPurpose, Completion>>> = {
  setup: completeSetup,
  profile: completeProfile,
  request: completeRequest,
  accept: completeAccept,
}

/** Does what follows from something that was published. Most publications have no such consequence. */
export async function followUp(ltx: LedgerTx, outcome: PublicationOutcome): Promise<void> {
  await COMPLETIONS[outcome.purpose]?.(ltx, outcome)
}

/** Does what follows from a parcel that the ledger has taken whole. Keeps the topics that its steps have made. */
export async function completeParcel(ltx: LedgerTx, parcel: LedgerParcel): Promise<void> {
  const topics: Partial<Record<TopicRole, string>> = {}
  for (const step of parcel.steps) {
    const id = step.kind === 'topic' ? parcel.made[step.name] : undefined
    if (step.kind !== 'topic' || id === undefined) continue
    topics[step.role] = id
    await keepTopic(ltx, parcel.network, id, step)
  }
  await followUp(ltx, { ...parcel, topics, parcel: null })
}

type TopicStep = Extract<ParcelStep, { readonly kind: 'topic' }>

/** Keeps a topic that a step has made. One that is known already stays as it is. */
async function keepTopic({ ctx, tx }: LedgerTx, network: string, id: string, step: TopicStep): Promise<void> {
  if ((await tx.ledger.getTopic({ id }))?.network === network) return
  await tx.ledger.insertTopic(newTopic(ctx, network, id, step))
}

function newTopic(ctx: Context, network: string, id: string, step: TopicStep): LedgerTopic {
  const { role, agent, entity, memo, adminKey, submitKey } = step
  return {
    id,
    network,
    role,
    agent,
    entity,
    memo,
    adminKey,
    submitKey,
    sequence: 0,
    runningHash: GENESIS_HASH,
    consensusAt: null,
    takenIn: 0,
    trouble: null,
    createdAt: ctx.store.now(),
    deletedAt: null,
  }
}
