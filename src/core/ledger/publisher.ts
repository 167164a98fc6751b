import { reasonOf } from '../../kit/pure/reason-of.ts'
import { createSemaphore } from '../../kit/pure/semaphore.ts'
import { PosternError } from '../../model/errors.ts'
import type { LedgerParcel } from '../../model/ledger/parcel.ts'
import type { Message } from '../../model/message.ts'
import type { Context, Ledgers } from '../context.ts'
import { ring } from '../rings/ring.ts'
import { storeItems } from './intake/store-items.ts'
import { keyed } from './messages/compose.ts'
import { type ClaimedStep, claimStep, keepStep, putOff, refuse, renewStep } from './parcel-moves.ts'
import { runStep, settleStep, TOO_LATE } from './steps.ts'

export interface PublishResult {
  /** Parcels of which the ledger has every step now. */
  readonly published: number
  readonly refused: number
  /** Parcels that are tried again later. */
  readonly putOff: number
  /** Lanes in which something was published: their topics are worth a look. */
  readonly lanes: readonly string[]
}

/** How many lanes are written to at once. */
const LANES = 8
/** A message whose entry takes longer than this is pushed without it. */
const LATE_MS = 60_000
const LATE_BATCH = 200

const NOTHING: PublishResult = { published: 0, refused: 0, putOff: 0, lanes: [] }

/**
 * Publishes what is due: the oldest parcel of each lane, several lanes at once. Two processes may run it at once. Late
 * messages are put into the inboxes meanwhile. On the local ledger there is never anything to do.
 */
export async function publishDue(
  ctx: Context,
  ledgers: Ledgers,
  { limit }: { readonly limit: number },
): Promise<PublishResult> {
  if (ledgers.ledger.within) return NOTHING
  await pushLate(ctx, ledgers)
  const { network } = ledgers.ledger
  const due = await ctx.store.read.ledger.dueParcels({ network, now: ctx.store.now(), limit })
  const inTurn = createSemaphore(LANES)
  const ends = await Promise.all(due.map(({ id }) => inTurn(() => publishParcel(ctx, ledgers, id))))
  const count = (end: End) => ends.filter((each) => each === end).length
  const lanes = due.filter((_, at) => ends[at] === 'published').map(({ lane }) => lane)
  return { published: count('published'), refused: count('refused'), putOff: count('put off'), lanes }
}

type End = 'published' | 'refused' | 'put off' | 'taken'

/** Publishes step by step. It may be killed between any two lines: the stored parcel is enough to go on from. */
async function publishParcel(ctx: Context, ledgers: Ledgers, id: string): Promise<End> {
  for (;;) {
    const claimed = await claimStep(ctx, ledgers, id)
    if (!claimed) return 'taken'
    const tried = await tryStep(ctx, ledgers, claimed)
    if (tried === undefined) return 'taken'
    if ('error' in tried) return fail(ctx, ledgers, tried.parcel, tried.error)
    const { parcel } = tried
    if (parcel.state !== 'waiting') return parcel.state === 'published' ? 'published' : 'taken'
  }
}

type Tried = { readonly parcel: LedgerParcel; readonly error?: unknown }

/** Asks for the answer to an earlier try first, if it was lost. Undefined if another publisher has taken over. */
async function tryStep(ctx: Context, ledgers: Ledgers, claimed: ClaimedStep): Promise<Tried | undefined> {
  let { parcel } = claimed
  try {
    const settled = claimed.wasTried ? await settleStep(ctx, ledgers, claimed) : undefined
    if (settled) return { parcel: await keepStep(ctx, ledgers, parcel, settled) }
    const current = await renewStep(ctx, ledgers, claimed)
    if (!current) return undefined
    parcel = current.parcel
    return { parcel: await keepStep(ctx, ledgers, parcel, await runStep(ctx, ledgers, parcel, current.step)) }
  } catch (error) {
    return { parcel, error }
  }
}

/** Errors that no retry can fix. A transaction that came too late is replaced once it can no longer be valid. */
const FINAL: readonly string[] = [
  'LEDGER_REFUSED',
  'LEDGER_TOPIC_NOT_FOUND',
  'LEDGER_TOPIC_DELETED',
  'LEDGER_MESSAGE_TOO_LARGE',
  'LEDGER_MEMO_INVALID',
]

async function fail(ctx: Context, ledgers: Ledgers, parcel: LedgerParcel, error: unknown): Promise<End> {
  const isOurs = error instanceof PosternError
  const status = isOurs ? String(error.details['status'] ?? error.code) : 'UNEXPECTED'
  if (isOurs && FINAL.includes(error.code) && !TOO_LATE.includes(status)) {
    ring(ctx, await refuse(ctx, ledgers, parcel, { status, error: error.message }))
    return 'refused'
  }
  if (!isOurs || error.code !== 'LEDGER_UNREACHABLE') {
    ctx.note('ledger.publish_failed', { parcel: parcel.id, error: reasonOf(error) })
  }
  await putOff(ctx, parcel, reasonOf(error))
  return 'put off'
}

/**
 * Puts messages into their inboxes whose entries have not come back in time, under the keys by which the entries will find
 * them. Each is tried once, and after a failure again after the same time.
 */
async function pushLate(ctx: Context, { ledger: { network } }: Ledgers): Promise<void> {
  const now = ctx.store.now()
  const late = await ctx.store.read.ledger.lateParcels({ network, before: now - LATE_MS, limit: LATE_BATCH })
  if (late.length === 0) return
  const failed = new Set<string>()
  for (const parcel of late) if (!(await bring(ctx, parcel, now))) failed.add(parcel.id)
  await ctx.store.transact(async ({ ledger }) => {
    for (const { id } of late) await ledger.setAwaited({ id, since: failed.has(id) ? now : null })
  })
}

/** A message beyond the retention is left alone: it has been in the inbox, and is gone again. */
async function bring(ctx: Context, { message, createdAt }: LedgerParcel, now: number): Promise<boolean> {
  if (!message || createdAt <= now - ctx.limits.retentionMs) return true
  return (await ctx.store.read.messages.get(message.id)) ? true : pushOne(ctx, message)
}

async function pushOne(ctx: Context, message: Message): Promise<boolean> {
  try {
    const stored = await ctx.store.transact((tx) =>
      storeItems(ctx, tx, [{ message: keyed(message), isOurs: true, isDamped: true }]),
    )
    ring(ctx, stored.rings)
    return true
  } catch (error) {
    if (!(error instanceof PosternError)) throw error
    ctx.note('ledger.late_push_failed', { message: message.id, error: error.message })
    return false
  }
}
