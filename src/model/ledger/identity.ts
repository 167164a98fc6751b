/** Who an agent is on a ledger: its account, its two topics, and the profile that says so to others. */
export interface LedgerIdentity {
  readonly network: string
  readonly agent: string
  readonly account: string
  readonly inboundTopicId: string
  readonly outboundTopicId: string
  /** Codes of HCS-11, from 0 to 18; at least one. */
  readonly capabilities: readonly number[]
  readonly model: string | null
  readonly bio: string | null
  /** The HCS-1 file of the profile that was published last; null where none was. */
  readonly profileTopicId: string | null
  readonly uaid: string | null
  readonly updatedAt: number
}

/** Code generation, multi-agent coordination, workflow automation: as the seed's own agents have. */
export const DEFAULT_CAPABILITIES: readonly number[] = [4, 16, 18]
export const LAST_CAPABILITY = 18
