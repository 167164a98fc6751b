import { SYSTEM_CALLER } from '../../model/caller.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { pushNotice } from './notice.ts'

/** Only Postern uses dedup keys with this prefix, so no sender can take the key of a notice before it is sent. */
export const NOTICE_KEYS = 'postern:'

/** Something that a person should know. It is sent once per key, so one key must always mean the same text. */
export interface PeopleNotice {
  readonly key: string
  readonly subject: string
  readonly content: string
}

/**
 * Notifies the responsible people in the same transaction. If nobody is registered, `doctor` shows the matter itself.
 * Returns whom to ring after the commit.
 */
export async function tellPeople(ctx: Context, tx: Shelves, notice: PeopleNotice): Promise<readonly string[]> {
  const { key, subject, content } = notice
  const to = await responsiblePeople(tx)
  return pushNotice(ctx, tx, {
    from: SYSTEM_CALLER,
    type: 'system',
    to,
    dedupKey: `${NOTICE_KEYS}${key}`,
    subject,
    content,
  })
}

/** The owners; if there is none, every person. */
export async function responsiblePeople(tx: Shelves): Promise<readonly string[]> {
  const agents = await tx.agents.list({ removed: false })
  const humans = agents.filter((agent) => agent.kind === 'human')
  const owners = humans.filter((agent) => agent.isOwner)
  return (owners.length > 0 ? owners : humans).map((agent) => agent.id)
}
