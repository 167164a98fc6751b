import type { LedgerParcel, ParcelPurpose, ParcelStep } from '../../model/ledger/parcel.ts'
import { GENESIS_HASH, type LedgerTopic } from '../../model/ledger/topic.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context, LedgerTx } from '../context.ts'
import { completeAccept, completeRequest } from './connection-entries.ts'
import { completeProfile } from './identities/publish-profile.ts'
import { completeSetup } from './identities/setup.ts'

/** What follows once the ledger has all of a parcel, in the transaction that says so. */
export type Completion = (ltx: LedgerTx, parcel: LedgerParcel) => Promise<void>

export const COMPLETIONS: Readonly<Partial<Record<ParcelPurpose, Completion>>> = {
  setup: completeSetup,
  profile: completeProfile,
  request: completeRequest,
  accept: completeAccept,
}

/** Does what follows from a parcel that the ledger has taken whole. Its topics are known here from then on. */
export async function complete(ltx: LedgerTx, parcel: LedgerParcel): Promise<void> {
  const { ctx, tx } = ltx
  for (const step of parcel.steps) if (step.kind === 'topic') await keepTopic(ctx, tx, parcel, step)
  await COMPLETIONS[parcel.purpose]?.(ltx, parcel)
}

type TopicStep = Extract<ParcelStep, { readonly kind: 'topic' }>

/** Writes down a topic that a step has made. One that is known already is left as it is. */
export async function keepTopic(ctx: Context, tx: Shelves, parcel: LedgerParcel, step: TopicStep): Promise<void> {
  const id = parcel.made[step.name]
  if (id === undefined || (await tx.ledger.getTopic({ id }))?.network === parcel.network) return
  await tx.ledger.insertTopic(newTopic(ctx, parcel.network, id, step))
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
