import { EVERYBODY, type Message } from '../../model/message.ts'
import type { PushResult } from '../../model/postern.ts'
import { RING_ALL } from '../../model/ring.ts'
import { requireRepetition } from '../push.ts'
import { MESSAGE_COLUMNS, messageValues, readMessage, SELECT_MESSAGE } from '../rows.ts'
import { RING_CHANNEL, type Sql } from '../sql.ts'
import type { MessageShelf, PushItem, PushParams } from '../store.ts'
import { type Batch, storeBatch } from './batch.ts'
import { isPartial } from './errors.ts'
import { storeUnderLocks } from './repeat.ts'

type Stored = readonly PushResult[] | undefined

/** Runs in the transaction that is open, or in one of its own. */
export type Within = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Pushing on PostgreSQL. Nearly every push is one statement and therefore needs no transaction around it. What that
 * statement declines (a repeated key, a full inbox, an unknown recipient) is looked at again under locks.
 */
export function createPusher(sql: Sql, within: Within): Pick<MessageShelf, 'push' | 'broadcast'> {
  return {
    async push(params) {
      return (await storeNew(sql, params)) ?? within(() => storeUnderLocks(sql, params))
    },

    async broadcast({ message }) {
      if (message.dedupKey === null) return broadcastNew(sql, message)
      return within(async () => {
        // Whoever broadcasts under the same key has committed by the time we hold the counter.
        await sql.get(`SELECT value FROM counters WHERE name = 'broadcast' FOR UPDATE`)
        const earlier = await earlierBroadcast(sql, message)
        return earlier ? { id: earlier.id, duplicate: true } : broadcastNew(sql, message)
      })
    },
  }
}

interface NewMessages extends PushParams {
  readonly isHasty?: boolean
}

/** Stores messages by a single statement; undefined where it stored none, and somebody has to look under locks. */
async function storeNew(sql: Sql, { items, pendingLimit, isHasty = false }: NewMessages): Promise<Stored> {
  const isStored = !repeatsItself(items) && (await storeBatch(sql, batchOf(items), { limit: pendingLimit, isHasty }))
  return isStored ? items.map(resultOf) : undefined
}

/**
 * Stores messages of several pushes that do not know of each other. What the server may have against one of them only is
 * as if it had declined; a full disk or a lost connection concerns all.
 */
export async function storeTogether(sql: Sql, params: PushParams): Promise<Stored> {
  try {
    return await storeNew(sql, { ...params, isHasty: true })
  } catch (error) {
    if (!isPartial(error)) throw error
    return undefined
  }
}

function batchOf(items: PushParams['items']): Batch {
  return {
    messages: items.map(({ message }) => message),
    deliveries: items.flatMap((item) =>
      item.message.to.map((agent) => ({ agent, message: item.message, state: stateFor(agent, item) })),
    ),
  }
}

export function stateFor(agent: string, { held }: PushItem): 'held' | 'pending' {
  return held.includes(agent) ? 'held' : 'pending'
}

function resultOf(item: PushItem): PushResult {
  const { id, to } = item.message
  return {
    id,
    duplicate: false,
    recipients: to.map((agent) => ({ agent, state: stateFor(agent, item), duplicate: false })),
  }
}

/** Two messages of one batch under one key for one agent: the second repeats the first, which no single look can tell. */
function repeatsItself(items: readonly PushItem[]): boolean {
  if (items.length === 1) return false
  const keys = items.flatMap(({ message: { to, dedupKey } }) =>
    dedupKey === null ? [] : to.map((agent) => `${agent} ${dedupKey}`),
  )
  return new Set(keys).size < keys.length
}

async function earlierBroadcast(sql: Sql, message: Message): Promise<Message | undefined> {
  const row = await sql.get(
    `SELECT ${SELECT_MESSAGE} FROM messages m
     WHERE m.dedup_key = ?1 AND m.broadcast_seq IS NOT NULL AND m.dedup_key IS NOT NULL`,
    [message.dedupKey],
  )
  if (!row) return undefined
  const earlier = readMessage(row, undefined)
  requireRepetition(earlier, message, EVERYBODY)
  return earlier
}

async function broadcastNew(sql: Sql, message: Message): Promise<{ id: string; duplicate: boolean }> {
  await sql.get(sql.skipsNotify ? BROADCAST : BROADCAST_AND_RING, messageValues(message, sql.macs))
  return { id: message.id, duplicate: false }
}

const STORE_BROADCAST = `WITH number AS (
  UPDATE counters SET value = value + 1 WHERE name = 'broadcast' RETURNING value
), message AS (
  INSERT INTO messages (${MESSAGE_COLUMNS.join(', ')}, broadcast_seq)
  VALUES (${MESSAGE_COLUMNS.map((_, index) => `?${index + 1}`).join(', ')}, (SELECT value FROM number))
)`

const BROADCAST = `${STORE_BROADCAST} SELECT 1`
const BROADCAST_AND_RING = `${STORE_BROADCAST} SELECT pg_notify('${RING_CHANNEL}', '${RING_ALL}')`
