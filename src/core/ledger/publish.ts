import type { Ledger } from '../../ledger/ledger.ts'
import type { LedgerParcel, ParcelDraft, ParcelStep } from '../../model/ledger/parcel.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context, Ledgers, LedgerTx } from '../context.ts'
import { complete } from './completions.ts'
import { fillSubmission, fillText } from './fill.ts'
import { hasOwnKey } from './messages/compose.ts'
import { stepDone } from './parcel-moves.ts'

/**
 * Writes a draft to the ledger: on the local one at once, as a part of the transaction, with what follows from it; else
 * it is written down and goes on by itself. Returns the parcel as it stands then, published or waiting.
 */
export async function publish(ltx: LedgerTx, draft: ParcelDraft): Promise<LedgerParcel> {
  const { ctx, ledgers, tx } = ltx
  const parcel = newParcel(ctx, ledgers, draft)
  const { within } = ledgers.ledger
  if (!within) {
    await tx.ledger.insertParcel(parcel)
    return parcel
  }
  const written = await writeAll(tx, within, parcel)
  // Who sends it again under its key is told where it stands.
  if (written.message && hasOwnKey(written.message)) await tx.ledger.insertParcel(written)
  await complete(ltx, written)
  return written
}

function newParcel(ctx: Context, { ledger }: Ledgers, draft: ParcelDraft): LedgerParcel {
  const now = ctx.store.now()
  return {
    ...draft,
    id: ctx.newId('par'),
    network: ledger.network,
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

type Within = NonNullable<Ledger['within']>

async function writeAll(tx: Shelves, within: Within, waiting: LedgerParcel): Promise<LedgerParcel> {
  let parcel = waiting
  for (const step of waiting.steps) parcel = await writeStep(tx, within, parcel, step)
  return { ...parcel, state: 'published', doneAt: parcel.createdAt }
}

async function writeStep(tx: Shelves, within: Within, parcel: LedgerParcel, step: ParcelStep): Promise<LedgerParcel> {
  const { payer } = parcel
  if (step.kind === 'memo') {
    await setMemo(tx, parcel, step)
    return stepDone(parcel, { topicId: null, sequence: null })
  }
  if (step.kind === 'topic') {
    const { memo, adminKey, submitKey, role, agent, entity } = step
    const owner = { role, agent, entity }
    const { id } = await within(tx).createTopic({ memo, adminKey, submitKey, payer, owner })
    return stepDone(parcel, { topicId: id, sequence: null })
  }
  const { topicId, text, memo, mayChunk } = await fillSubmission(tx, parcel, step)
  const entries = await within(tx).submit({ topicId, message: encoder.encode(text), payer, memo, mayChunk })
  return stepDone(parcel, { topicId: null, sequence: entries.at(-1)?.sequence ?? null })
}

async function setMemo(
  tx: Shelves,
  { made, createdAt }: LedgerParcel,
  step: Extract<ParcelStep, { readonly kind: 'memo' }>,
): Promise<void> {
  const id = step.account
  const known = await tx.ledger.getAccount({ id })
  await tx.ledger.putAccount({ id, key: '', createdAt, ...known, memo: fillText(step.memo, made) })
}

const encoder = new TextEncoder()
