import type { Caller } from '../../model/caller.ts'
import type { Gate } from '../../model/gate.ts'
import { RING_RECEIPTS } from '../../model/ring.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { NOTICE_KEYS } from '../notices/notice.ts'

/** Dedup keys of the messages that ask people to act on a gate or a question. */
export const waitsKey = (gateId: string) => `gate-waits:${gateId}`
export const escalatedKey = (gateId: string) => `gate-escalated:${gateId}`
export const reminderKey = (gateId: string, now: number | '') => `gate-reminder:${gateId}:${now}`
export const askedKey = (decisionId: string) => `decision:${decisionId}:asked`

export interface Ended {
  readonly by: Pick<Caller, 'id'>
  readonly reason: string
}

/** Ends the messages that asked people to act on a gate, in the transaction that closes it. */
export async function endRequestsOf(
  ctx: Context,
  tx: Shelves,
  { id, kind, escalateTo, remindEveryMs }: Gate,
  ended: Ended,
): Promise<readonly string[]> {
  if (kind !== 'human' && escalateTo === null && remindEveryMs === null) return []
  const everybody = await tx.agents.list({ removed: false })
  const people = everybody.filter((agent) => agent.kind === 'human').map((agent) => agent.id)
  const agents = escalateTo === null ? people : [...new Set([...people, escalateTo])]
  const keys = [waitsKey(id), escalatedKey(id)].map((key) => `${NOTICE_KEYS}${key}`)
  const prefix = remindEveryMs === null ? undefined : `${NOTICE_KEYS}${reminderKey(id, '')}`
  return finish(ctx, tx, { agents, keys, prefix }, ended)
}

/** Ends the messages that asked people a question. */
export function endQuestionOf(
  ctx: Context,
  tx: Shelves,
  { id, asked }: { readonly id: string; readonly asked: readonly string[] },
  ended: Ended,
): Promise<readonly string[]> {
  return finish(ctx, tx, { agents: asked, keys: [askedKey(id)] }, ended)
}

interface Requests {
  readonly agents: readonly string[]
  readonly keys: readonly string[]
  readonly prefix?: string | undefined
}

async function finish(ctx: Context, tx: Shelves, requests: Requests, ended: Ended): Promise<readonly string[]> {
  const { by, reason } = ended
  const moved = await tx.deliveries.finish({ ...requests, at: ctx.store.now(), by: by.id, reason })
  return moved.length > 0 ? [RING_RECEIPTS] : []
}
