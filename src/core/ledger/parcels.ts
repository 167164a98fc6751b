import { isConfined } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { type LedgerParcel, PARCEL_MOVES, type ParcelState } from '../../model/ledger/parcel.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { requirePerson } from '../registry/require-person.ts'
import { endUntold } from './connection-entries.ts'

const MOST = 500
/** Parcels that may need a person, the refused ones first. */
const OPEN: readonly ParcelState[] = ['refused', 'waiting']

/** Lists the refused parcels, then the waiting ones, or only those of one state. The newest come first in each state. */
export async function listParcels(
  ctx: Context,
  { state }: { readonly state?: string },
): Promise<readonly LedgerParcel[]> {
  const states = state === undefined ? OPEN : [parseState(state)]
  const found: LedgerParcel[] = []
  for (const each of states) found.push(...(await ctx.store.read.ledger.listParcels({ state: each, limit: MOST })))
  return found.filter((parcel) => isTheirs(ctx, parcel))
}

/** Retries a refused parcel. For a waiting parcel, the next attempt is due at once. */
export async function retryParcel(ctx: Context, { id }: { readonly id: string }): Promise<LedgerParcel> {
  requirePerson(ctx.caller, 'retry what waits for the ledger')
  return move(ctx, id, 'waiting', (parcel) => ({
    ...parcel,
    state: 'waiting',
    attempts: 0,
    nextAt: ctx.store.now(),
    error: parcel.state === 'waiting' ? parcel.error : null,
  }))
}

/** Gives up a parcel. Steps that the ledger has already taken stay on the ledger. */
export async function dropParcel(ctx: Context, { id }: { readonly id: string }): Promise<LedgerParcel> {
  requirePerson(ctx.caller, 'drop what waits for the ledger')
  const drop = (parcel: LedgerParcel): LedgerParcel => ({ ...parcel, state: 'dropped', doneAt: ctx.store.now() })
  return move(ctx, id, 'dropped', drop, (tx, parcel) => endUntold(ctx, tx, parcel))
}

function move(
  ctx: Context,
  id: string,
  to: ParcelState,
  change: (parcel: LedgerParcel) => LedgerParcel,
  follow: (tx: Shelves, parcel: LedgerParcel) => Promise<void> = async () => {},
): Promise<LedgerParcel> {
  return ctx.store.transact(async (tx) => {
    const parcel = await tx.ledger.lockParcel({ id })
    if (!parcel || !isTheirs(ctx, parcel)) throw new PosternError('PARCEL_NOT_FOUND', { id })
    const moves: readonly ParcelState[] = PARCEL_MOVES[parcel.state]
    const isAtOnce = to === 'waiting' && parcel.state === 'waiting'
    if (!isAtOnce && !moves.includes(to))
      throw new PosternError('PARCEL_STATE', { id, state: parcel.state, wanted: to })
    const changed = change(parcel)
    await tx.ledger.updateParcel(changed)
    await follow(tx, changed)
    return changed
  })
}

/** A program sees the parcels of messages that it sent, and those without a message that are about itself. */
function isTheirs(ctx: Context, { message, about }: LedgerParcel): boolean {
  return !isConfined(ctx.caller) || (message?.from.id ?? about) === ctx.caller.id
}

function parseState(state: string): ParcelState {
  if (Object.hasOwn(PARCEL_MOVES, state)) return state as ParcelState
  throw new PosternError('VALUE_INVALID', {
    field: 'state',
    value: state,
    next: `Use one of ${Object.keys(PARCEL_MOVES).join(', ')}.`,
  })
}
