/** Where a Hedera network is and as whom it is used. */
export interface HederaOptions {
  /** `mainnet`, `testnet`, `previewnet`, or a name that the configuration gives. */
  readonly network: string
  readonly isPublic: boolean
  /** The account that pays where none is named. */
  readonly operator: string
  /** Private keys by account, each read when it is first needed. */
  readonly keys: Readonly<Record<string, () => string>>
  /** Accounts of consensus nodes by their addresses, `host:port`. */
  readonly nodes: Readonly<Record<string, string>>
  /** Where a mirror answers over HTTP. */
  readonly mirror: string
  /** Where a mirror tells of new messages, `host:port`; null: nobody is told, and all look from time to time. */
  readonly mirrorGrpc: string | null
  readonly times?: Partial<HederaTimes>
  readonly random?: () => number
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

export interface HederaTimes {
  /** How long one question may take. */
  readonly callMs: number
  /** How long a transaction is tried before its caller is told that nobody knows. */
  readonly patienceMs: number
  /** The shortest and the longest wait before a question is asked again. */
  readonly minWaitMs: number
  readonly maxWaitMs: number
}

export const DEFAULT_TIMES: HederaTimes = { callMs: 10_000, patienceMs: 30_000, minWaitMs: 250, maxWaitMs: 5_000 }

/** How long a transaction counts after the time in its name. */
export const VALID_SECONDS = 120
