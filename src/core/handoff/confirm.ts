import { isConfined } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { InheritanceRef, Inherited } from '../../model/handoff/handoff.ts'
import { requireStorable } from '../../model/ids.ts'
import { parseMilliseconds, parseSessionId } from '../../model/session.ts'
import { parseText } from '../../model/text.ts'
import type { InheritanceRecord } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { ring } from '../rings/ring.ts'
import { cleanAll } from './clean.ts'
import { closeInheritances, findGone } from './offered.ts'

const REASON_BYTES = 1_000

/** Notes that the text was written out whole. Loss of power may undo that, for it also takes whoever was shown it. */
export async function markInheritancePrinted(ctx: Context, ref: InheritanceRef): Promise<void> {
  const record = await requireOffered(ctx, ref)
  if (record.closedAt === null) await renew(ctx, record)
}

/** Whoever is told so last has the whole time anew. */
function renew(ctx: Context, { id }: InheritanceRecord): Promise<boolean> {
  return ctx.store.single((tx) => tx.inheritances.setPrinted({ id, at: ctx.store.now() }), { isDurable: false })
}

/**
 * Moves the files of what was taken in, then closes the offer. Whoever dies in between leaves an offer whose files are
 * gone, which the next one closes. Confirming twice is confirming once.
 */
export async function confirmInheritance(
  ctx: Context,
  input: InheritanceRef & { readonly printed?: boolean },
): Promise<Inherited> {
  const record = await requireOffered(ctx, input)
  const { id } = record
  if (record.outcome === 'inherited') return { id, moved: [] }
  if (record.printedAt === null && !input.printed) {
    throw new PosternError('OFFER_UNPRINTED', { id })
  }
  // It must not be given back while its files are being moved.
  if (!(await renew(ctx, record))) return confirmInheritance(ctx, input)
  const moved = await archive(ctx, record)
  // What somebody has written anew in the meantime stays, to be shown.
  const inherited = await findGone(await ctx.handoff(), record)
  const closed = [{ record, outcome: 'inherited', inherited }] as const
  const rings = await ctx.store.transact((tx) => closeInheritances(ctx, tx, closed))
  ring(ctx, [...new Set(rings)])
  // Where no server tends the store, whoever adds to what was processed also cleans up.
  await cleanAll(ctx, [record.root])
  return { id, moved }
}

async function archive(ctx: Context, { root, items }: InheritanceRecord): Promise<readonly string[]> {
  const handoffs = await ctx.handoff()
  const place = await handoffs.locate({ project: root, shared: false })
  const moved: string[] = []
  for (const { box, name, digest, isRaw } of items) {
    const path = await handoffs.archive(place, { box, name, digest }, isRaw ? 'quarantine' : 'processed')
    if (path !== undefined) moved.push(path)
  }
  return moved
}

/** Gives it back: the next one is shown the same. What was inherited already stays so. */
export async function releaseInheritance(
  ctx: Context,
  input: InheritanceRef & { readonly reason: string },
): Promise<void> {
  parseText('reason', input.reason, REASON_BYTES)
  await giveBack(ctx, await requireOffered(ctx, input))
}

async function giveBack(ctx: Context, record: InheritanceRecord): Promise<void> {
  if (record.closedAt !== null) return
  const inherited = await findGone(await ctx.handoff(), record)
  const outcome = inherited.length === record.items.length ? 'inherited' : 'released'
  const closed = [{ record, outcome, inherited }] as const
  const rings = await ctx.store.transact((tx) => closeInheritances(ctx, tx, closed))
  ring(ctx, [...new Set(rings)])
}

/** Whether a session was ever offered an inheritance. */
export async function hasInherited(ctx: Context, input: { readonly sessionId: string }): Promise<boolean> {
  return (await ctx.store.read.sessions.inheritedAt(input)) !== undefined
}

/**
 * A session goes on, and has taken in what was printed before its present event began; or it is over, and what it was
 * offered before that is given back.
 */
export async function settleInheritances(
  ctx: Context,
  input: { readonly sessionId: string; readonly ageMs: number; readonly isOver: boolean },
): Promise<void> {
  const sessionId = parseSessionId(input.sessionId)
  const before = ctx.store.now() - parseMilliseconds('age', input.ageMs)
  // Most sessions have confirmed theirs long ago, or have none.
  if ((await ctx.store.read.sessions.inheritedAt({ sessionId })) !== 0) return
  for (const record of await ctx.store.read.inheritances.ofSession({ sessionId })) {
    if (record.machine !== ctx.machine.name) continue
    const { id, offeredAt, printedAt } = record
    if (input.isOver && offeredAt < before) await giveBack(ctx, record)
    else if (!input.isOver && printedAt !== null && printedAt < before) await confirmInheritance(ctx, { id })
  }
}

/**
 * An offer that is open, or was inherited; one that was given back is as good as gone. The files of another machine's
 * cannot be reached, and another agent's is none to a program that sees only what concerns it.
 */
async function requireOffered(ctx: Context, { id }: InheritanceRef): Promise<InheritanceRecord> {
  requireStorable(id, 'HANDOFF_OFFER_NOT_FOUND')
  const record = await ctx.store.read.inheritances.get(id)
  const isKnown = record && record.outcome !== 'released' && record.machine === ctx.machine.name
  if (isKnown && (!isConfined(ctx.caller) || record.agent === ctx.caller.id)) return record
  throw new PosternError('HANDOFF_OFFER_NOT_FOUND', { id })
}
