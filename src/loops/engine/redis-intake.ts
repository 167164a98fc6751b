import type { Context } from '../../core/context.ts'
import { ingestEntries } from '../../core/inbox/ingest.ts'
import { sha256 } from '../../kit/node/crypto.ts'
import { PosternError } from '../../model/errors.ts'
import type { IngestEntry, Ingested } from '../../model/ingest.ts'
import { utf8Length } from '../../model/text.ts'
import { unwrapReminder } from '../../render/reminder.ts'
import { type ForeignEvent, parseEvent } from '../../wires/redis/event.ts'
import type { ListEntry } from '../../wires/redis/list-intake.ts'
import type { RedisWire } from '../../wires/redis/redis-wire.ts'
import type { Loop } from '../loop.ts'
import { type ListVerdict, startListIntake } from './list-intake-loop.ts'

export interface RedisIntakeOptions {
  readonly ctx: Context
  readonly wire: RedisWire
  /** Agents whose lists foreign consumers read. Nothing is taken from these lists. */
  readonly out: readonly string[]
}

/** Takes what foreign producers push to `inbox:<agent>` into the inboxes of registered agents. */
export function startRedisIntake({ ctx, wire, out }: RedisIntakeOptions): Loop {
  return startListIntake({
    wire,
    taker: ctx.newId('taker'),
    note: ctx.note,
    random: Math.random,
    async roster() {
      const agents = (await ctx.store.read.agents.list({ removed: false })).map(({ id }) => id)
      return { in: agents.filter((id) => !out.includes(id)), out: agents.filter((id) => out.includes(id)) }
    },
    store: (agent, entries) => storeEvents(ctx, agent, entries),
    async check() {
      await ctx.store.read.upkeep.ranAt()
    },
  })
}

async function storeEvents(ctx: Context, agent: string, taken: readonly ListEntry[]): Promise<readonly ListVerdict[]> {
  const parsed = taken.map(({ text, ticket }) => ({ ...parseEvent(text), ticket }))
  const sound = parsed.flatMap((each) => ('event' in each ? [ingestEntry(each.event, each.ticket)] : []))
  const ingested = sound.length === 0 ? [] : await ingest(ctx, agent, sound)
  const verdicts = ingested.values()
  return parsed.map((each) => ('fault' in each ? { fault: each.fault } : verdictOn(verdicts.next().value)))
}

/** Entries for an agent that was removed meanwhile are kept, in case the agent is restored. */
async function ingest(ctx: Context, agent: string, entries: readonly IngestEntry[]): Promise<readonly Ingested[]> {
  try {
    return await ingestEntries(ctx, { agent, entries })
  } catch (error) {
    if (error instanceof PosternError && error.code === 'AGENT_NOT_FOUND') return []
    throw error
  }
}

function ingestEntry(event: ForeignEvent, ticket: string): IngestEntry {
  const { eventId, content, ...said } = event
  const id = eventId === undefined ? {} : { id: asKey(eventId) }
  return { ...said, ...id, content: unwrapReminder(content), via: 'redis', place: ticket }
}

const KEY_BYTES = 250

/** A foreign id may be of any length and hold characters that no store takes. Such an id is replaced by its hash. */
function asKey(eventId: string): string {
  const isPlain = utf8Length(eventId) <= KEY_BYTES && eventId.isWellFormed() && !eventId.includes('\0')
  return isPlain ? eventId : `sha256:${sha256(eventId)}`
}

function verdictOn(ingested: Ingested | undefined): ListVerdict {
  if (ingested?.outcome === 'refused') return { fault: ingested.reason ?? 'it was refused' }
  return ingested === undefined || ingested.outcome === 'full' ? 'kept' : 'done'
}
