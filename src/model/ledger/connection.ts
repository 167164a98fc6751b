/**
 * An outsider and one of our agents, who write to each other on a topic of their own.
 *
 *   requested ─accept→ open ─close→ closed
 *       └──reject───────────────────↑
 */
export interface LedgerConnection {
  /** `con_…` */
  readonly id: string
  readonly network: string
  /** Ours. */
  readonly agent: string
  /** True where the outsider asked for it. */
  readonly isIncoming: boolean
  readonly peerAccount: string
  readonly peerInboundTopicId: string
  /** Null until it is known. */
  readonly peerOutboundTopicId: string | null
  /** The inbound topic on which the request stands, and its place there; null while it is on its way. */
  readonly requestTopicId: string
  readonly requestId: number | null
  readonly topicId: string | null
  readonly state: ConnectionState
  /** Why it was closed or rejected. */
  readonly reason: string | null
  readonly createdAt: number
  /**
   * From when on nothing more is heard of the other side. Null while it is open, and while our goodbye is on its way to a
   * ledger elsewhere: then its time there decides, for no clock of ours can tell what was said before it.
   */
  readonly closedAt: number | null
}

export const CONNECTION_MOVES = {
  requested: ['open', 'closed'],
  open: ['closed'],
  closed: [],
} as const satisfies Record<string, readonly string[]>

export type ConnectionState = keyof typeof CONNECTION_MOVES
