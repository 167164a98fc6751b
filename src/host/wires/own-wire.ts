import { RING_EVENTS } from '../../model/ring.ts'
import { afterMoment, delayRingsOf } from '../../wires/delayed-wire.ts'
import type { Wire } from '../../wires/wire.ts'
import { type Config, isPostgres } from '../config/config.ts'

/**
 * The store's own wire for a program that goes on: whom something is for is rung at once, and those who follow events in
 * other processes a moment later, once for all that came. On PostgreSQL one notification is for everybody.
 */
export function ringEventsLater({ store }: Config, own: Wire): Wire {
  return isPostgres(store) ? own : delayRingsOf(own, RING_EVENTS, afterMoment)
}
