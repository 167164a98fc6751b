import type { TopicRole } from '../../model/ledger/topic.ts'
import type { Context, LedgerTx } from '../context.ts'

/** The hash of a topic that is followed from its middle: the first entry is believed, and all later ones are checked. */
export const UNKNOWN_HASH = ''

export interface FollowedTopic {
  readonly id: string
  readonly role: TopicRole
  readonly agent: string | null
  /** The last entry that is taken as known. */
  readonly from: { readonly sequence: number; readonly runningHash: string }
}

/** Stores a topic that another account has made, so that it is listened to. One that is known stays as it is. */
export async function follow(
  { ctx, ledgers: { ledger }, tx }: LedgerTx,
  { id, role, agent, from }: FollowedTopic,
): Promise<void> {
  if ((await tx.ledger.getTopic({ id }))?.network === ledger.network) return
  await tx.ledger.insertTopic({
    id,
    network: ledger.network,
    role,
    agent,
    entity: null,
    memo: '',
    adminKey: null,
    submitKey: null,
    ...from,
    consensusAt: null,
    takenIn: from.sequence,
    trouble: null,
    createdAt: ctx.store.now(),
    deletedAt: null,
  })
}

/** The name of the lease, on the shelf of relays, that the listening process holds. */
export function listenerLease(network: string): string {
  return `ledger:${network}`
}

/** Roles of topics on which others write to us. Topics that only we write to are not followed. */
const ROLES: readonly TopicRole[] = ['inbound', 'connection', 'work']

/** Every topic of the network on which others may write to us. */
export async function topicsToFollow({ store }: Context, network: string): Promise<ReadonlySet<string>> {
  const { ledger } = store.read
  const ids = new Set<string>()
  for (const role of ROLES) {
    const topics = await ledger.listTopics({ network, role })
    for (const { id, deletedAt } of topics) if (deletedAt === null) ids.add(id)
  }
  for (const { isIncoming, state, requestId, requestTopicId } of await ledger.connections({ network })) {
    if (!isIncoming && state === 'requested' && requestId !== null) ids.add(requestTopicId)
  }
  return ids
}
