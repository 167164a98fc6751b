import { PosternError } from '../../model/errors.ts'
import { ENTRY_BYTES } from '../../model/ledger/entry.ts'
import type { LedgerParcel, ParcelStep } from '../../model/ledger/parcel.ts'
import { utf8Length } from '../../model/text.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context, Ledgers } from '../context.ts'
import { listenOnce } from './listen.ts'
import type { ClaimedStep, StepResult } from './parcel-moves.ts'
import { requireTopicOfItem } from './work/items.ts'

/** Statuses of a transaction that the ledger did not carry out only because it came at the wrong time. */
export const TOO_LATE: readonly string[] = ['TRANSACTION_EXPIRED', 'INVALID_TRANSACTION_START']

const NO_RESULT: StepResult = { topicId: null, sequence: null }

/** Hands a step to the ledger under the transaction that was stored for it. */
export async function runStep(
  ctx: Context,
  { ledger }: Ledgers,
  parcel: LedgerParcel,
  step: ParcelStep,
): Promise<StepResult> {
  const { payer, made } = parcel
  const transaction = parcel.transaction ?? ''
  if (step.kind === 'memo') {
    await ledger.setAccountMemo({ account: step.account, memo: fillText(step.memo, made), transaction })
    return NO_RESULT
  }
  if (step.kind === 'topic') {
    const { memo, adminKey, submitKey } = step
    const { topicId } = await ledger.createTopic({ memo, adminKey, submitKey, payer, transaction })
    return { topicId, sequence: null }
  }
  const { topicId, text, memo, mayChunk } = await fillSubmission(ctx.store.read, parcel, step)
  const message = encoder.encode(text)
  const { sequence } = await ledger.submit({ topicId, message, payer, memo, mayChunk, transaction })
  return { topicId: null, sequence }
}

const encoder = new TextEncoder()

/** Finds out the result of a step whose answer was lost. Undefined if the ledger does not have all of it. */
export async function settleStep(
  ctx: Context,
  ledgers: Ledgers,
  { parcel, step }: ClaimedStep,
): Promise<StepResult | undefined> {
  if (step.kind === 'submission' && isInParts(step)) return settleParts(ctx, ledgers, parcel, step)
  const { ledger } = ledgers
  const outcome = await ledger.outcome(parcel.transaction ?? '')
  if (outcome.state === 'unknown') return undefined
  if (outcome.state === 'done') return { topicId: outcome.topicId, sequence: outcome.sequence }
  // It has had no effect and never will: the step gets another transaction.
  if (TOO_LATE.includes(outcome.status)) return undefined
  throw new PosternError('LEDGER_REFUSED', { network: ledger.network, status: outcome.status })
}

type Submission = Extract<ParcelStep, { readonly kind: 'submission' }>

function isInParts({ mayChunk, text }: Submission): boolean {
  return mayChunk && utf8Length(text) > ENTRY_BYTES
}

/** The ledger may have the first part without the others, so all entries of the topic are read. */
async function settleParts(
  ctx: Context,
  ledgers: Ledgers,
  parcel: LedgerParcel,
  step: Submission,
): Promise<StepResult | undefined> {
  const { read } = ctx.store
  const { topicId } = await fillSubmission(read, parcel, step)
  if (!(await read.ledger.getTopic({ id: topicId }))) return undefined
  while ((await listenOnce(ctx, ledgers, topicId)).state === 'more');
  const parts = await read.ledger.chunksOf({ topicId, transaction: parcel.transaction ?? '' })
  const numbers = new Set(parts.map(({ chunk }) => chunk?.number))
  if (numbers.size !== parts[0]?.chunk?.total) return undefined
  return { topicId: null, sequence: Math.max(...parts.map(({ sequence }) => sequence)) }
}

const NAME = /\{([a-z][a-z0-9._:-]*)\}/gi
const WORK_ITEM = /^\{([a-z]+:[^{}]+)\}$/

/**
 * A submission as it goes to the ledger, with every reference replaced by what it refers to. `{task:PROJ-12}` as the whole
 * topic is the topic of that work item, which an earlier parcel of the same lane has made.
 */
async function fillSubmission(
  shelves: Shelves,
  { network, made }: Pick<LedgerParcel, 'network' | 'made'>,
  step: Submission,
): Promise<Submission> {
  const item = WORK_ITEM.exec(step.topicId)?.[1]
  const topicId = item === undefined ? fillText(step.topicId, made) : await requireTopicOfItem(shelves, network, item)
  return { ...step, topicId, text: fillText(step.text, made) }
}

/** Replaces only names that a step has made: other braces, as of a text that is JSON, stay. */
export function fillText(text: string, made: Readonly<Record<string, string>>): string {
  return text.replace(NAME, (whole, name: string) => (Object.hasOwn(made, name) ? (made[name] ?? whole) : whole))
}
