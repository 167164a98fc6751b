import type { HandoffShelf } from '../../handoff/handoff-shelf.ts'
import { type HandoffItem, type ItemRef, OWN_BOX } from '../../model/handoff/item.ts'
import type { InheritanceOutcome, InheritanceRecord, RootRef, Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { inSession } from '../notices/notice.ts'
import { isOrphaned } from '../sessions/sessions.ts'
import { endThreads, threadKey } from './threads.ts'

/** So long somebody may take to write it out, or to confirm it where no session says that it goes on. */
const UNPRINTED_MS = 60_000
/** So long a session may take to go on with what it was shown. */
const PRINTED_MS = 15 * 60_000

/**
 * The items that have left their box: they were archived, though nobody may have closed the offer yet. What cannot be
 * looked at counts as there, so that the folders of one project are no trouble to the others.
 */
export async function findGone(
  shelf: HandoffShelf,
  { root, items }: { readonly root: string; readonly items: readonly ItemRef[] },
): Promise<readonly ItemRef[]> {
  // A project that was moved or removed has taken all of its files along.
  const place = await shelf.locate({ project: root, shared: false }).catch(() => undefined)
  if (place?.root !== root) return items
  const gone: ItemRef[] = []
  for (const item of items) if (!(await shelf.has(place, item).catch(() => true))) gone.push(item)
  return gone
}

/** Why an open offer is to be closed; undefined where it still holds. */
export async function overdue(
  ctx: Context,
  tx: Pick<Shelves, 'sessions'>,
  record: InheritanceRecord,
  gone: readonly ItemRef[] | undefined,
): Promise<InheritanceOutcome | undefined> {
  const { items, sessionId, printedAt, offeredAt } = record
  if (gone?.length === items.length) return 'inherited'
  const session = sessionId === null ? undefined : await tx.sessions.get(sessionId)
  if (session && isOrphaned(ctx, session)) return 'released'
  const leaseMs = sessionId === null || printedAt === null ? UNPRINTED_MS : PRINTED_MS
  // Whichever way the clock was set: an offer that is far from now is nobody's any more.
  return Math.abs(ctx.store.now() - (printedAt ?? offeredAt)) >= leaseMs ? 'released' : undefined
}

export interface ClosedInheritance {
  readonly record: InheritanceRecord
  readonly outcome: InheritanceOutcome
  /** Of its items, those that have left their box. */
  readonly inherited: readonly ItemRef[]
}

/**
 * Closes offers, and ends the threads that were inherited with them. Returns whom to ring after the commit. All offers
 * come before any thread: on PostgreSQL two who close several would wait for each other otherwise.
 */
export async function closeInheritances(
  ctx: Context,
  tx: Shelves,
  closed: readonly ClosedInheritance[],
): Promise<readonly string[]> {
  const at = ctx.store.now()
  for (const { record, outcome } of closed) await tx.inheritances.close({ id: record.id, at, outcome })
  const threads = closed.flatMap(({ record, inherited }) => {
    const { agent, sessionId } = record
    const by = agent === null ? inSession(sessionId ?? '') : ` by ${agent}`
    return inherited.map((item) => ({ key: threadKey(record, item), reason: `its thread was inherited${by}` }))
  })
  return endThreads(ctx, tx, threads)
}

/** As callers see it: how its file was recognised is nothing to them. */
export function asShown({ digest: _, ...item }: HandoffItem): HandoffItem {
  return item
}

/** The same for the same file, whichever project of those that share its box it is seen from. */
export function fileKey({ root }: Pick<RootRef, 'root'>, { box, name }: ItemRef): string {
  return JSON.stringify([box === OWN_BOX ? root : null, box, name])
}
