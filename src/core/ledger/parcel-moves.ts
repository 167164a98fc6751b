import type { LedgerParcel, ParcelStep } from '../../model/ledger/parcel.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context, Ledgers } from '../context.ts'
import { tellPeople } from '../notices/notice.ts'
import { dayOf } from './budget.ts'
import { completeParcel } from './completions.ts'
import { endUntold } from './connection-entries.ts'

export interface ClaimedStep {
  readonly parcel: LedgerParcel
  readonly step: ParcelStep
  /** True if it was sent before under the same transaction, and the answer was lost. */
  readonly wasTried: boolean
}

/** How long a claim keeps other publishers away. It is longer than the timeout of a ledger. */
const CLAIM_MS = 45_000
/** A transaction is valid this long at most, and a mirror may show it this much later. */
const VALID_MS = 180_000
const MIRROR_LAG_MS = 120_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000

/** Claims the next step of a parcel and stores its transaction, before anything is sent. */
export function claimStep(ctx: Context, { ledger }: Ledgers, id: string): Promise<ClaimedStep | undefined> {
  return ctx.store.transact(async (tx) => {
    const parcel = await tx.ledger.lockParcel({ id })
    const now = ctx.store.now()
    const step = parcel?.steps[parcel.done]
    if (parcel?.state !== 'waiting' || !step || parcel.nextAt > now) return undefined
    const transaction = parcel.transaction ?? ledger.newTransaction(payerOf(parcel, step))
    const claimed = { ...parcel, transaction, attempts: parcel.attempts + 1, nextAt: now + CLAIM_MS }
    await tx.ledger.updateParcel(claimed)
    return { parcel: claimed, step, wasTried: parcel.transaction !== null }
  })
}

/**
 * Gives a step another transaction, if the ledger does not know the earlier one and that one can no longer be valid.
 * Undefined if another publisher has moved the parcel on meanwhile.
 */
export function renewStep(ctx: Context, { ledger }: Ledgers, claimed: ClaimedStep): Promise<ClaimedStep | undefined> {
  const { parcel, step } = claimed
  if (!isOver(parcel.transaction ?? '', ctx.store.now())) return Promise.resolve(claimed)
  return ctx.store.transact(async (tx) => {
    const held = await tx.ledger.lockParcel({ id: parcel.id })
    if (!held || !isSame(held, parcel)) return undefined
    const renewed = { ...held, transaction: ledger.newTransaction(payerOf(held, step)) }
    await tx.ledger.updateParcel(renewed)
    return { parcel: renewed, step, wasTried: false }
  })
}

/** An account pays for its own change, because only its own key may sign it. */
function payerOf({ payer }: LedgerParcel, step: ParcelStep): string {
  return step.kind === 'memo' ? step.account : payer
}

/** Whether a transaction can no longer be valid anywhere. */
function isOver(transaction: string, now: number): boolean {
  const startedAt = Number(transaction.split('@')[1] ?? 0) * 1000
  return now - startedAt > VALID_MS + MIRROR_LAG_MS
}

/** Notes that the ledger has taken a step. After the last step it also does what follows. */
export function keepStep(
  ctx: Context,
  ledgers: Ledgers,
  claimed: LedgerParcel,
  result: StepResult,
): Promise<LedgerParcel> {
  return ctx.store.transact(async (tx) => {
    const held = await tx.ledger.lockParcel({ id: claimed.id })
    // Another publisher has moved it on while this one waited for the ledger.
    if (!held || !isSame(held, claimed)) return held ?? claimed
    const now = ctx.store.now()
    const next = stepDone(held, result)
    const isLast = next.done >= next.steps.length
    const parcel: LedgerParcel = isLast
      ? { ...next, state: 'published', nextAt: now, doneAt: now }
      : { ...next, nextAt: now }
    await tx.ledger.updateParcel(parcel)
    if (isLast) await completeParcel({ ctx, ledgers, tx }, parcel)
    return parcel
  })
}

function isSame(held: LedgerParcel, claimed: LedgerParcel): boolean {
  return held.state === 'waiting' && held.done === claimed.done && held.transaction === claimed.transaction
}

/** Schedules a retry, without end. The transaction stays, because its result is not known. */
export function putOff(ctx: Context, claimed: LedgerParcel, error: string): Promise<void> {
  return change(ctx, claimed, async (tx, held) => {
    await tx.ledger.updateParcel({ ...held, error, nextAt: ctx.store.now() + waitOf(held) })
  })
}

/** Exponential backoff, with a jitter that is derived from the id so that parcels do not retry all at once. */
function waitOf({ id, attempts }: LedgerParcel): number {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempts, 10))
  const share = [...`${id}${attempts}`].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 997, 7) / 997
  return Math.round(longest * (0.5 + share / 2))
}

export interface Refusal {
  readonly status: string
  readonly error: string
}

/** Puts a parcel aside until a person decides. Tells people once a day of each kind of refusal; returns whom to ring. */
export async function refuse(
  ctx: Context,
  { ledger: { network } }: Ledgers,
  claimed: LedgerParcel,
  { status, error }: Refusal,
): Promise<readonly string[]> {
  let rings: readonly string[] = []
  await change(ctx, claimed, async (tx, held) => {
    // A refused step is not retried under the same transaction.
    await tx.ledger.updateParcel({ ...held, state: 'refused', transaction: null, error })
    await endUntold(ctx, tx, held)
    rings = await tellPeople(ctx, tx, {
      key: `ledger:refused:${network}:${status}:${dayOf(ctx.store.now())}`,
      subject: `The ledger ${network} refuses what is to be published: ${status}`,
      content: `What the ledger ${network} has refused (${status}) is put aside. See it with "postern ledger parcels"; once it is mended, try again with "postern ledger retry <id>", or give it up with "postern ledger drop <id>".`,
    })
  })
  return rings
}

function change(
  ctx: Context,
  claimed: LedgerParcel,
  move: (tx: Shelves, held: LedgerParcel) => Promise<void>,
): Promise<void> {
  return ctx.store.transact(async (tx) => {
    const held = await tx.ledger.lockParcel({ id: claimed.id })
    if (held && isSame(held, claimed)) await move(tx, held)
  })
}

/** The answer of the ledger to a step that it took. */
export interface StepResult {
  readonly topicId: string | null
  readonly sequence: number | null
}

/** A parcel after the ledger has taken its next step, with the results that later steps refer to. */
function stepDone(parcel: LedgerParcel, { topicId, sequence }: StepResult): LedgerParcel {
  const step = parcel.steps[parcel.done]
  const made = { ...parcel.made }
  if (step?.kind === 'topic' && topicId !== null) made[step.name] = topicId
  if (step?.kind === 'submission' && step.name !== undefined && sequence !== null) made[step.name] = String(sequence)
  const isPlace = step?.kind === 'submission' && !step.isRecord
  return {
    ...parcel,
    done: parcel.done + 1,
    made,
    sequence: isPlace ? sequence : parcel.sequence,
    transaction: null,
    attempts: 0,
    error: null,
  }
}
