import type { Context } from '../../core/context.ts'
import { isPending, pendingForForeign, recordForeignTake } from '../../core/inbox/foreign-consumers.ts'
import { RING_ALL } from '../../model/ring.ts'
import { formatInboxEvent } from '../../wires/redis/event.ts'
import type { RedisWire } from '../../wires/redis/redis-wire.ts'
import type { Loop } from '../loop.ts'
import { startListOutput } from './list-output-loop.ts'

export interface RedisOutputOptions {
  readonly ctx: Context
  readonly wire: RedisWire
  /** Agents whose lists foreign consumers read. */
  readonly agents: readonly string[]
  /** How many entries a list may have. */
  readonly max: number
}

/** Puts the pending messages of these agents into `inbox:<agent>`, where foreign consumers pop them. */
export function startRedisOutput({ ctx, wire, agents, max }: RedisOutputOptions): Loop {
  return startListOutput({
    wire,
    agents,
    max,
    server: ctx.newId('outlet'),
    note: ctx.note,
    listen: (agent, onRing) => ctx.wire.listen([agent, RING_ALL], onRing),
    async pending(agent, limit) {
      const pending = await pendingForForeign(ctx, { agent, limit })
      return pending.map((message) => ({ id: message.id, format: () => formatInboxEvent(message) }))
    },
    isPending: (agent, id) => isPending(ctx, agent, id),
    async popped(agent, ids) {
      await recordForeignTake(ctx, { agent, ids, via: 'redis', evidence: `popped from the Redis list inbox:${agent}` })
    },
  })
}
