import { reasonOf } from '../../kit/pure/reason-of.ts'
import type { HandoffPlace } from '../../model/handoff/handoff.ts'
import { parseMilliseconds } from '../../model/session.ts'
import type { Context, Handoffs } from '../context.ts'
import { requirePerson } from '../registry/require-person.ts'
import { requireRoot } from './place.ts'

const HOUR_MS = 3_600_000

/** Whoever holds the store is busy with something else; the next passer-by does what is due. */
const PATIENCE_MS = 50

/** Removes processed items of any project, which a person decides. */
export async function cleanItems(
  ctx: Context,
  input: HandoffPlace & { readonly olderThanMs: number },
): Promise<{ readonly removed: readonly string[] }> {
  requirePerson(ctx.caller, 'remove processed items of a handoff')
  const olderThanMs = parseMilliseconds('age', input.olderThanMs)
  const handoffs = await ctx.handoff()
  const root = await requireRoot(ctx, handoffs, input)
  return { removed: await handoffs.clean(root, { before: ctx.store.now() - olderThanMs }) }
}

/**
 * Removes what was processed long ago in every project of this machine, where the configuration says how long ago. Whoever
 * has something better to do is not disturbed by what goes wrong here.
 */
export async function cleanAll(ctx: Context, also: readonly string[] = []): Promise<void> {
  try {
    const handoffs = await ctx.handoff()
    const { keepProcessedMs } = handoffs
    if (keepProcessedMs !== null && (await claim(ctx))) await cleanRoots(ctx, handoffs, { keepProcessedMs, also })
  } catch (error) {
    ctx.note('handoff.uncleaned', { error: reasonOf(error) })
  }
}

/** Once an hour somebody on a machine does it. */
async function claim(ctx: Context): Promise<boolean> {
  const job = `handoff:${ctx.machine.name}`
  const now = ctx.store.now()
  const since = now - ((await ctx.store.read.upkeep.ranAt()).get(job) ?? 0)
  if (since >= 0 && since < HOUR_MS) return false
  return ctx.store.single((tx) => tx.upkeep.claim({ job, now, intervalMs: HOUR_MS }), {
    patienceMs: PATIENCE_MS,
  })
}

interface Cleaning {
  readonly keepProcessedMs: number
  /** Somebody may have set up a project by hand. */
  readonly also: readonly string[]
}

async function cleanRoots(ctx: Context, handoffs: Handoffs, { keepProcessedMs, also }: Cleaning): Promise<void> {
  const before = ctx.store.ago(keepProcessedMs)
  const known = await ctx.store.read.inheritances.roots({ host: ctx.machine.host })
  for (const root of new Set([...known, ...also])) {
    try {
      await handoffs.clean(await handoffs.locate({ project: root, shared: false }), { before })
    } catch (error) {
      // The project may be gone; the others are cleaned all the same.
      ctx.note('handoff.uncleaned', { root, error: reasonOf(error) })
    }
  }
}
