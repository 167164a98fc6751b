import type { LedgerParcel, ParcelDraft, ParcelStep } from '../../model/ledger/parcel.ts'
import { priceOfSteps } from '../../model/ledger/price.ts'
import type { Context, LedgerTx } from '../context.ts'
import { requireBudget } from './budget.ts'
import type { EntryWriter, Publication, PublishStrategy } from './publish.ts'

/** Stores parcels for a remote ledger. The publisher sends them after the transaction is committed. */
export function createParcelStrategy(ltx: LedgerTx): PublishStrategy {
  const { ctx, tx } = ltx
  return {
    async publish(publications, { budget = 'require' }) {
      const drafts: DraftOnNetwork[] = []
      for (const publication of publications) drafts.push(await draftParcel(ltx, publication))
      const price = drafts.reduce((sum, draft) => sum + draft.price, 0)
      if (budget === 'require') await requireBudget(ltx, price)
      // A lane is sent in the order in which its parcels are stored, so they are stored after any wait for the budget's lock.
      const parcels = drafts.map((draft) => newParcel(ctx, draft))
      for (const parcel of parcels) await tx.ledger.insertParcel(parcel)
      return parcels.map((parcel) => ({ ...parcel, topics: {}, parcel: parcel.id }))
    },
  }
}

/** A parcel without an id, with the network that it is for. */
type DraftOnNetwork = ParcelDraft & Pick<LedgerParcel, 'network'>

/** The steps of a publication and their price. */
export async function draftParcel({ ctx, ledgers }: LedgerTx, publication: Publication): Promise<DraftOnNetwork> {
  const { write, ...about } = publication
  const steps: ParcelStep[] = []
  const entryWriter = createStepWriter(ctx, steps)
  await write(entryWriter)
  return { ...about, network: ledgers.ledger.network, steps, price: priceOfSteps(steps) }
}

/** Records what a ledger will be given, and refers to the results of earlier steps by name. */
function createStepWriter(ctx: Context, steps: ParcelStep[]): EntryWriter {
  return {
    async createTopic(topic) {
      const name = topic.name ?? ctx.newId(topic.role)
      steps.push({ kind: 'topic', ...topic, name })
      return referenceTo(name)
    },

    async submit({ name, topicId, text, memo = '', mayChunk = false, isRecord = false }) {
      const options = { ...(isRecord && { isRecord }), ...(name !== undefined && { name }) }
      steps.push({ kind: 'submission', topicId, text, memo, mayChunk, ...options })
      return referenceTo(name ?? '')
    },

    async setAccountMemo(change) {
      steps.push({ kind: 'memo', ...change })
    },

    topicOfItem: async (entity) => referenceTo(entity),
  }
}

function referenceTo(name: string): string {
  return `{${name}}`
}

export function newParcel(ctx: Context, draft: DraftOnNetwork): LedgerParcel {
  const now = ctx.store.now()
  return {
    ...draft,
    id: ctx.newId('par'),
    done: 0,
    made: {},
    sequence: null,
    transaction: null,
    attempts: 0,
    nextAt: now,
    state: 'waiting',
    error: null,
    createdAt: now,
    doneAt: null,
  }
}
