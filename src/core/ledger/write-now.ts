import type { Ledger } from '../../ledger/ledger.ts'
import type { TopicRole } from '../../model/ledger/topic.ts'
import type { LedgerTx } from '../context.ts'
import { followUp } from './completions.ts'
import { hasOwnKey } from './messages/compose.ts'
import type { EntryWriter, Publication, PublicationOutcome, PublishStrategy } from './publish.ts'
import { requireTopicOfItem } from './work/items.ts'
import { draftParcel, newParcel } from './write-down.ts'

type Within = NonNullable<Ledger['within']>

/** Writes to the local ledger at once, in the caller's transaction. There is no price and no budget. */
export function createLocalStrategy(ltx: LedgerTx, within: Within): PublishStrategy {
  return {
    async publish(publications) {
      const outcomes: PublicationOutcome[] = []
      for (const publication of publications) outcomes.push(await writeNow(ltx, within, publication))
      return outcomes
    },
  }
}

async function writeNow(ltx: LedgerTx, within: Within, publication: Publication): Promise<PublicationOutcome> {
  const written: WrittenEntries = { topics: [], sequence: null }
  const entryWriter = createLocalWriter(ltx, within, publication.payer, written)
  await publication.write(entryWriter)
  const { write: _, ...about } = publication
  const topics = Object.fromEntries(written.topics.map(({ role, id }) => [role, id]))
  const outcome = { ...about, topics, sequence: written.sequence, parcel: null }
  await keepReceipt(ltx, publication, written)
  await followUp(ltx, outcome)
  return outcome
}

interface WrittenEntries {
  readonly topics: { readonly role: TopicRole; readonly id: string }[]
  /** The sequence number of the last entry that is no record. */
  sequence: number | null
}

function createLocalWriter(
  { ctx, ledgers, tx }: LedgerTx,
  within: Within,
  payer: string,
  written: WrittenEntries,
): EntryWriter {
  return {
    async createTopic({ memo, adminKey, submitKey, role, agent, entity }) {
      const owner = { role, agent, entity }
      const { id } = await within(tx).createTopic({ memo, adminKey, submitKey, payer, owner })
      written.topics.push({ role, id })
      return id
    },

    async submit({ topicId, text, memo = '', mayChunk = false, isRecord = false }) {
      const message = encoder.encode(text)
      const entries = await within(tx).submit({ topicId, message, payer, memo, mayChunk })
      const sequence = entries.at(-1)?.sequence ?? null
      if (!isRecord) written.sequence = sequence
      return String(sequence)
    },

    async setAccountMemo({ account: id, memo }) {
      const known = await tx.ledger.getAccount({ id })
      await tx.ledger.putAccount({ id, key: '', createdAt: ctx.store.now(), ...known, memo })
    },

    topicOfItem: (entity) => requireTopicOfItem(tx, ledgers.ledger.network, entity),
  }
}

const encoder = new TextEncoder()

/**
 * A sender that gave its message a key may repeat the send, and the answer must name the same entry. So a published
 * parcel is stored as the receipt, with the steps that a remote ledger would have been given.
 */
async function keepReceipt(ltx: LedgerTx, publication: Publication, written: WrittenEntries): Promise<void> {
  if (!publication.message || !hasOwnKey(publication.message)) return
  const { ctx, tx } = ltx
  const parcel = newParcel(ctx, await draftParcel(ltx, publication))
  const names = parcel.steps.flatMap((step) => (step.kind === 'topic' ? [step.name] : []))
  await tx.ledger.insertParcel({
    ...parcel,
    price: 0,
    done: parcel.steps.length,
    made: Object.fromEntries(written.topics.map(({ id }, at) => [names[at] ?? '', id])),
    sequence: written.sequence,
    state: 'published',
    doneAt: parcel.createdAt,
  })
}
