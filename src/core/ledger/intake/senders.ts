import { SYSTEM_CALLER } from '../../../model/caller.ts'
import type { LedgerIdentity } from '../../../model/ledger/identity.ts'
import { parseTopicMemo } from '../../../model/ledger/memos.ts'
import { parseOperatorId } from '../../../model/ledger/operator.ts'
import type { Sender } from '../../../model/message.ts'
import type { Shelves } from '../../../store/store.ts'
import type { Outside } from './outside.ts'

/** The writer of an entry, as far as the ledger vouches for it. */
export interface Writer {
  readonly from: Sender
  /** Ours; null for an outsider. */
  readonly agent: string | null
  /**
   *   true       the account has paid for it, and the inbound topic is that account's
   *   false      one of these is not so: the writer poses as another
   *   undefined  the topic was not looked up
   */
  readonly isTrue: boolean | undefined
  /** The name that the writer gives itself. */
  readonly claim: string
}

export interface Senders {
  /** By the `operator_id` of HCS-10. */
  byOperator(operatorId: string, payer: string): Promise<Writer>
  /** By the name of an agent, as notes have it. */
  byName(agent: string, payer: string): Promise<Writer>
}

const VIA = 'ledger'
const LOCAL = 'local'

/** A claim in an entry proves nothing: only the payer counts. */
export async function readSenders(tx: Shelves, network: string, outside: Outside): Promise<Senders> {
  const identities = await tx.ledger.identities({ network })
  const byInbound = new Map(identities.map((identity) => [identity.inboundTopicId, identity]))
  const byAgent = new Map(identities.map((identity) => [identity.agent, identity]))
  const ours = new Map<string, Sender>()

  async function senderOf(tx: Shelves, { agent }: LedgerIdentity): Promise<Sender> {
    const known = ours.get(agent)
    if (known) return known
    const kind = agent === SYSTEM_CALLER.id ? SYSTEM_CALLER.kind : ((await tx.agents.get(agent))?.kind ?? 'ai')
    const from = { id: agent, kind, verified: true, via: VIA }
    ours.set(agent, from)
    return from
  }

  async function ownWriter(tx: Shelves, identity: LedgerIdentity, claim: string): Promise<Writer> {
    return { from: await senderOf(tx, identity), agent: identity.agent, isTrue: true, claim }
  }

  /** The account of an inbound topic, as just read from the ledger or as known here. Undefined if neither tells. */
  async function accountOf(tx: Shelves, topicId: string): Promise<string | null | undefined> {
    if (outside.topics.has(topicId)) return accountIn(outside.topics.get(topicId)?.memo ?? '')
    const topic = await tx.ledger.getTopic({ id: topicId })
    // The memo of a topic elsewhere that is only followed is not known.
    if (topic?.network !== network || (topic.memo === '' && network !== LOCAL)) return undefined
    return accountIn(topic.memo)
  }

  return {
    async byOperator(operatorId, payer) {
      const operator = parseOperatorId(operatorId)
      if (operator?.account !== payer) return outsider(payer, operatorId, false)
      const identity = byInbound.get(operator.inboundTopicId)
      if (identity) {
        return identity.account === payer ? ownWriter(tx, identity, operatorId) : outsider(payer, operatorId, false)
      }
      const account = await accountOf(tx, operator.inboundTopicId)
      return outsider(payer, operatorId, account === undefined ? undefined : account === payer)
    },
    async byName(agent, payer) {
      const identity = byAgent.get(agent)
      return identity?.account === payer ? ownWriter(tx, identity, agent) : outsider(payer, agent, undefined)
    },
  }
}

/** The account whose inbound topic it is; null if it is none. */
function accountIn(memo: string): string | null {
  const parsed = parseTopicMemo(memo)
  return parsed?.type === 'inbound' ? parsed.account : null
}

/** An outsider is called by the account that paid, whatever name it gives itself. */
function outsider(payer: string, claim: string, isTrue: boolean | undefined): Writer {
  return { from: { id: payer, kind: 'service', verified: isTrue === true, via: VIA }, agent: null, isTrue, claim }
}
