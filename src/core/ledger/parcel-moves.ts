import type { LedgerParcel, ParcelStep } from '../../model/ledger/parcel.ts'
import type { Shelves } from '../../store/store.ts'
import { tellPeople } from '../agents/people.ts'
import type { Context, Ledgers } from '../context.ts'
import { dayOf } from './budget.ts'
import { completeParcel } from './completions.ts'
import { endUntold } from './connection-entries.ts'

export interface ClaimedStep {
  readonly parcel: LedgerParcel
  readonly step: ParcelStep
  /** True where it was handed to the ledger before under the same transaction, and nobody heard what became of it. */
  readonly wasTried: boolean
}

/** Nobody else takes a step for so long; it is longer than a ledger is waited for. */
const CLAIM_MS = 45_000
/** A transaction counts for so long at most, and a mirror may show it so much later. */
const VALID_MS = 180_000
const MIRROR_LAG_MS = 120_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000

/** Takes the next step of a parcel and writes its transaction down, before anything is sent. */
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
 * Gives a step another transaction, where the ledger does not know the earlier one and it can surely no longer count.
 * Undefined where another has gone on from here meanwhile.
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

/** Who changes an account pays for it, because only its own key may do that. */
function payerOf({ payer }: LedgerParcel, step: ParcelStep): string {
  return step.kind === 'memo' ? step.account : payer
}

/** Whether a transaction can surely no longer count, whoever has it. */
function isOver(transaction: string, now: number): boolean {
  const startedAt = Number(transaction.split('@')[1] ?? 0) * 1000
  return now - startedAt > VALID_MS + MIRROR_LAG_MS
}

/** Writes down that the ledger has taken a step, and does what follows where it was the last one. */
export function keepStep(
  ctx: Context,
  ledgers: Ledgers,
  claimed: LedgerParcel,
  result: StepResult,
): Promise<LedgerParcel> {
  return ctx.store.transact(async (tx) => {
    const held = await tx.ledger.lockParcel({ id: claimed.id })
    // Another has gone on from here while the ledger was waited for.
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

/** Tries again later, for as long as it takes. The transaction stays, for nobody knows what became of it. */
export function putOff(ctx: Context, claimed: LedgerParcel, error: string): Promise<void> {
  return change(ctx, claimed, async (tx, held) => {
    await tx.ledger.updateParcel({ ...held, error, nextAt: ctx.store.now() + waitOf(held) })
  })
}

/** Twice as long with every try, and by its own name a little less than that: not all try again at once. */
function waitOf({ id, attempts }: LedgerParcel): number {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempts, 10))
  const share = [...`${id}${attempts}`].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 997, 7) / 997
  return Math.round(longest * (0.5 + share / 2))
}

export interface Refusal {
  readonly status: string
  readonly error: string
}

/** Puts it aside until a person has looked, who is told once a day of each kind of refusal. Returns whom to ring. */
export async function refuse(
  ctx: Context,
  { ledger: { network } }: Ledgers,
  claimed: LedgerParcel,
  { status, error }: Refusal,
): Promise<readonly string[]> {
  let rings: readonly string[] = []
  await change(ctx, claimed, async (tx, held) => {
    // What was refused is not tried again under the same name.
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

/** What the ledger has said about a step that it took. */
export interface StepResult {
  readonly topicId: string | null
  readonly sequence: number | null
}

/** A parcel after the ledger has taken its next step, with what later steps must know of that one. */
export function stepDone(parcel: LedgerParcel, { topicId, sequence }: StepResult): LedgerParcel {
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
