import { ulidFloor } from '../../kit/pure/ulid.ts'
import type { UpkeepReport } from '../../model/postern.ts'
import { RING_RECEIPTS } from '../../model/ring.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { lapseReason } from '../inbox/drain.ts'
import { type Closed, closeOffer } from '../inbox/offers.ts'
import { ring } from '../rings.ts'
import { livenessOf } from '../sessions/sessions.ts'

/** What has to be done from time to time. A slice is bounded, so that any command may do one in passing. */
interface Loop {
  readonly name: Exclude<keyof UpkeepReport, 'gates'>
  readonly intervalMs: number
  slice(ctx: Context, tx: Shelves): Promise<Slice>
}

interface Slice {
  readonly done: number
  /** Whom to ring after the commit. */
  readonly rings: readonly string[]
}

const SLICE = 500
const SECOND_MS = 1_000

/** Whoever holds the store is busy with something else; the next passer-by does what is due. */
const PATIENCE_MS = 50

const LOOPS: readonly Loop[] = [
  {
    name: 'expired',
    intervalMs: 10 * SECOND_MS,
    async slice(ctx, tx) {
      const done = await tx.deliveries.expire({ now: ctx.store.now(), limit: SLICE })
      return { done, rings: done > 0 ? [RING_RECEIPTS] : [] }
    },
  },
  {
    name: 'released',
    intervalMs: 10 * SECOND_MS,
    async slice(ctx, tx) {
      const lapsed = await tx.offers.lapsed({ now: ctx.store.now(), limit: SLICE })
      const closed: Closed[] = []
      for (const offer of lapsed) closed.push(await closeOffer(ctx, tx, offer.id, 'lapsed', lapseReason(offer)))
      const orphaned = (await tx.offers.withHost({ limit: SLICE })).filter(
        ({ session }) => livenessOf(ctx, session) === 'gone',
      )
      for (const { offer } of orphaned) {
        closed.push(await closeOffer(ctx, tx, offer.id, 'lapsed', 'its host process is gone'))
      }
      await endGoneSessions(ctx, tx)
      return { done: closed.length, rings: closed.flatMap(({ rings }) => rings) }
    },
  },
  {
    name: 'reaped',
    intervalMs: 600 * SECOND_MS,
    async slice(ctx, tx) {
      const finishedBefore = ctx.store.now() - ctx.limits.retentionMs
      await tx.upkeep.forgetSessions({ unheardSince: finishedBefore, limit: SLICE })
      await tx.gates.reap({ closedBefore: finishedBefore, limit: SLICE })
      const idBefore = `msg_${ulidFloor(finishedBefore)}`
      return { done: await tx.upkeep.reap({ finishedBefore, idBefore, limit: SLICE }), rings: [] }
    },
  },
]

/** A host that was killed never says that its sessions ended. What they were shown is taken back before. */
async function endGoneSessions(ctx: Context, tx: Shelves): Promise<void> {
  for (const session of await tx.sessions.withHost({ machine: ctx.machine.name, limit: SLICE })) {
    if (livenessOf(ctx, session) === 'gone') await tx.sessions.end({ id: session.id, at: ctx.store.now() })
  }
}

/** One slice of every loop that is due and that nobody else has run within its interval. */
export async function runUpkeep(ctx: Context): Promise<UpkeepReport> {
  const report = { expired: 0, released: 0, reaped: 0, gates: await tendGatesIfDue(ctx) }
  const ranAt = await ctx.store.read.upkeep.ranAt()
  for (const loop of LOOPS) {
    // A look first: whoever passes by often takes no lock for what is not due.
    const since = ctx.store.now() - (ranAt.get(loop.name) ?? 0)
    if (since >= 0 && since < loop.intervalMs) continue
    const { done, rings } = await ctx.store.transact(
      async (tx): Promise<Slice> => {
        const isDue = await tx.upkeep.claim({ job: loop.name, now: ctx.store.now(), intervalMs: loop.intervalMs })
        return isDue ? loop.slice(ctx, tx) : { done: 0, rings: [] }
      },
      { patienceMs: PATIENCE_MS },
    )
    report[loop.name] = done
    ring(ctx, [...new Set(rings)])
  }
  return report
}

/** Gates say themselves when they have to be looked at, and few commands ever meet one that does. */
async function tendGatesIfDue(ctx: Context): Promise<number> {
  if (!(await ctx.store.read.upkeep.hasDueGates({ now: ctx.store.now() }))) return 0
  const { tendGates } = await import('../gates/tend.ts')
  const { done, rings } = await ctx.store.transact((tx) => tendGates(ctx, tx, { limit: SLICE }), {
    patienceMs: PATIENCE_MS,
  })
  ring(ctx, [...new Set(rings)])
  return done
}

/** Runs upkeep for as long as the store is open. Stopping is safe twice and waits for nothing. */
export function startUpkeep(ctx: Context): { stop(): void } {
  const shortest = Math.min(...LOOPS.map((loop) => loop.intervalMs))
  let cancel = () => {}
  let isStopped = false
  const schedule = () => {
    if (isStopped) return
    cancel = ctx.timers.inBackground(shortest, () => {
      runUpkeep(ctx)
        .catch((error: unknown) => ctx.note('upkeep.failed', { error: String(error) }))
        .finally(schedule)
    })
  }
  schedule()
  return {
    stop() {
      isStopped = true
      cancel()
    },
  }
}
