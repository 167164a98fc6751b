import { reasonOf } from '../../kit/pure/reason-of.ts'
import { RING_EVENTS } from '../../model/ring.ts'
import type { Context } from '../context.ts'

/** Rings after the commit. A failed ring delays a message but never loses one, so it is logged and not thrown. */
export function ring(ctx: Context, names: readonly string[]): void {
  if (names.length === 0) return
  try {
    const rung = ctx.wire.ring([...names, RING_EVENTS])
    if (rung) rung.catch((error: unknown) => ctx.note('ring.failed', { error: reasonOf(error) }))
  } catch (error) {
    ctx.note('ring.failed', { error: reasonOf(error) })
  }
}
