import type { HandoffRoot, Looked } from '../../handoff/handoff-shelf.ts'
import { parseAgentId } from '../../model/agent.ts'
import { agentOf, isConfined } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { Inheritance, InheritItems } from '../../model/handoff/handoff.ts'
import { HANDOFF_LIMITS, type HandoffItem, type ItemRef } from '../../model/handoff/item.ts'
import { parseSessionId } from '../../model/session.ts'
import type { InheritanceRecord, Shelves } from '../../store/store.ts'
import type { Context, Handoffs } from '../context.ts'
import { ring } from '../rings/ring.ts'
import { requireOwnSession } from '../sessions/begin.ts'
import { type Chosen, chooseItems } from './budget.ts'
import { endLostThreads } from './lost-threads.ts'
import { asShown, type ClosedInheritance, closeInheritances, fileKey, findGone, overdue } from './offered.ts'
import { requireRoot } from './place.ts'
import { lookForItems } from './waiting.ts'

/** Each attempt that fails means that somebody else has inherited something. */
const MAX_ATTEMPTS = 1_000

/**
 * Offers what waits. The files are looked at before the offer is stored, so what somebody has archived in between is
 * looked for once more, and then all of it is done again.
 */
export async function inheritItems(ctx: Context, input: InheritItems): Promise<Inheritance> {
  const heir = await heirOf(ctx, input)
  const handoffs = await ctx.handoff()
  const maxTokens = parseMaxTokens(input.maxTokens ?? handoffs.maxTokens)
  const root = await requireRoot(ctx, handoffs, input)
  for (let attempt = 1; ; attempt++) {
    const { isInitialised, ...found } = await lookForItems(ctx, handoffs, root)
    // A cloned repository can bring items along. Only a person who sets up the project lets them speak to its sessions.
    const heldBack = isInitialised ? 0 : found.items.length
    const looked = isInitialised ? found : { items: [], refused: [] }
    const offered = await offerOnce(ctx, handoffs, { root, heir, looked, maxTokens, isLast: attempt > MAX_ATTEMPTS })
    if (offered === undefined) continue
    if (offered.id !== null && (await hasLost(handoffs, root, offered.items))) {
      const { id } = offered
      await ctx.store.single((tx) => tx.inheritances.close({ id, at: ctx.store.now(), outcome: 'released' }))
      continue
    }
    await endLostThreads(ctx, handoffs, root)
    const items = offered.items.map(asShown)
    return { ...offered, items, root: root.root, isInitialised, heldBack, refused: looked.refused }
  }
}

interface Heir {
  readonly agent: string | null
  readonly sessionId: string | null
}

/** Who inherits: the agent of the session where none is named, else whoever asks. */
async function heirOf(ctx: Context, { agent, session }: InheritItems): Promise<Heir> {
  const named = agent === undefined ? undefined : parseAgentId(agent)
  const sessionId = session === undefined ? null : parseSessionId(session)
  const known = sessionId === null ? undefined : await ctx.store.read.sessions.get(sessionId)
  const heir = named ?? known?.agent ?? agentOf(ctx.caller) ?? null
  if (isConfined(ctx.caller) && heir !== ctx.caller.id) {
    throw new PosternError('NOT_ALLOWED', {
      message: `${ctx.caller.id} cannot inherit for ${heir}.`,
      next: 'Inherit for yourself, in a session of your own.',
    })
  }
  if (heir !== null) requireOwnSession(known, heir, ctx.caller)
  return { agent: heir, sessionId }
}

function parseMaxTokens(value: number): number {
  if (Number.isSafeInteger(value) && value >= 1 && value <= HANDOFF_LIMITS.mostTokens) return value
  throw new PosternError('VALUE_INVALID', {
    field: 'number of tokens',
    value,
    next: `Use a whole number from 1 to ${HANDOFF_LIMITS.mostTokens}.`,
  })
}

async function hasLost(handoffs: Handoffs, root: HandoffRoot, items: readonly ItemRef[]): Promise<boolean> {
  for (const item of items) if (!(await handoffs.has(root, item))) return true
  return false
}

interface Occasion {
  readonly root: HandoffRoot
  readonly heir: Heir
  readonly looked: Looked
  readonly maxTokens: number
  /** Nothing is offered any more: whatever is seen cannot be had. */
  readonly isLast: boolean
}

type Offered = Chosen & { readonly id: string | null }

/** Undefined if others have taken or given back something meanwhile. */
async function offerOnce(ctx: Context, handoffs: Handoffs, occasion: Occasion): Promise<Offered | undefined> {
  const { heir, looked, isLast } = occasion
  const choose = (items: readonly HandoffItem[]) =>
    chooseItems(ctx, handoffs, items, { ...occasion, refused: looked.refused })
  const nothing: Offered = { id: null, ...(await choose([])) }
  const wanted = isLast ? [] : looked.items.filter((item) => isFor(heir, item))
  const known = await ctx.store.read.inheritances.open({ machine: ctx.machine.name })
  if (wanted.length === 0 && known.length === 0) return nothing

  const gone = new Map<string, readonly ItemRef[]>()
  for (const record of known) gone.set(record.id, await findGone(handoffs, record))
  // Measure outside the transaction, because it is slow and would block writers.
  const free = freeOf(wanted, occasion, await stillHeld(ctx, known, gone))
  const chosen = free.length === 0 ? undefined : await choose(free)
  const { offered, rings } = await ctx.store.transact(
    async (tx) => {
      const { held, rings } = await giveBackOverdue(ctx, tx, gone)
      if (!isSame(freeOf(wanted, occasion, held), free)) return { offered: undefined, rings }
      if (chosen === undefined) return { offered: nothing, rings }
      const record = newRecord(ctx, occasion, chosen)
      await tx.inheritances.insert({ record })
      return { offered: { ...chosen, id: record.id }, rings }
    },
    // Loss of power only makes it be offered again; but then nobody would know whose gates have to open.
    { isDurable: wanted.some(({ gate }) => gate !== null) },
  )
  ring(ctx, [...new Set(rings)])
  return offered
}

/** Nobody is shown what is for another, or what they have left themselves. */
function isFor({ agent, sessionId }: Heir, { to, from_session }: HandoffItem): boolean {
  return (to === null || to === agent) && (sessionId === null || from_session !== sessionId)
}

function isSame(one: readonly HandoffItem[], other: readonly HandoffItem[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at])
}

async function stillHeld(
  ctx: Context,
  known: readonly InheritanceRecord[],
  gone: ReadonlyMap<string, readonly ItemRef[]>,
): Promise<readonly InheritanceRecord[]> {
  const held: InheritanceRecord[] = []
  for (const record of known) {
    if (!(await overdue(ctx, ctx.store.read, record, gone.get(record.id) ?? []))) held.push(record)
  }
  return held
}

/** What was offered on this machine and still holds; everything else is given back. */
async function giveBackOverdue(
  ctx: Context,
  tx: Shelves,
  gone: ReadonlyMap<string, readonly ItemRef[]>,
): Promise<{ readonly held: readonly InheritanceRecord[]; readonly rings: readonly string[] }> {
  const held: InheritanceRecord[] = []
  const closed: ClosedInheritance[] = []
  for (const record of await tx.inheritances.open({ machine: ctx.machine.name })) {
    const inherited = gone.get(record.id) ?? []
    const outcome = await overdue(ctx, tx, record, inherited)
    if (outcome) closed.push({ record, outcome, inherited })
    else held.push(record)
  }
  return { held, rings: await closeInheritances(ctx, tx, closed) }
}

/** A session that holds an offer already is offered nothing more: hooks may be installed twice. */
function freeOf(
  wanted: readonly HandoffItem[],
  { root, heir: { sessionId } }: Occasion,
  held: readonly InheritanceRecord[],
): readonly HandoffItem[] {
  if (sessionId !== null && held.some((record) => record.sessionId === sessionId)) return []
  const taken = new Set(held.flatMap((record) => record.items.map((item) => fileKey(record, item))))
  return wanted.filter((item) => !taken.has(fileKey(root, item)))
}

function newRecord(ctx: Context, { root, heir }: Occasion, { items, tokens }: Chosen): InheritanceRecord {
  return {
    id: ctx.newId('inh'),
    machine: ctx.machine.name,
    root: root.root,
    ...heir,
    items: items.map(({ box, name, type, digest }) => ({ box, name, isRaw: type === null, digest })),
    tokens,
    offeredAt: ctx.store.now(),
    printedAt: null,
    closedAt: null,
    outcome: null,
  }
}
