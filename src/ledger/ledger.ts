import type { LedgerEntry } from '../model/ledger/entry.ts'
import type { LedgerTopic, TopicRole } from '../model/ledger/topic.ts'
import type { Shelves } from '../store/store.ts'

/**
 * A permanent, ordered, verifiable record: topics to which entries are added, each chained to the one before it by its
 * running hash. `local/` keeps it in the store; `hedera/` is the real network. One conformance suite runs against both.
 *
 * Whatever is written carries a transaction that its caller has made with `newTransaction` and written down before: to
 * write again under the same one changes nothing and gives the same answer, for as long as the ledger remembers it.
 * Throws LEDGER_UNREACHABLE where nobody can tell whether it was written, LEDGER_REFUSED where the ledger said no.
 */
export interface Ledger {
  readonly kind: 'local' | 'hedera'
  /** `local`, `mainnet`, `testnet`, `previewnet`, or a name that the configuration gives. */
  readonly network: string
  /** True where others than this deployment agree on it. */
  readonly isPublic: boolean
  /** The account that pays where none is named. */
  readonly operator: string
  /**
   * Only the local one: writes as a part of a transaction of the store, so that an entry and what follows from it are
   * stored together or not at all. Awaits nothing but `tx`.
   */
  readonly within: ((tx: Shelves) => LedgerWriter) | undefined

  /** `0.0.2@1713898880.739044003`: an account and a time at which nothing else of it begins. */
  newTransaction(account?: string): string
  createTopic(params: CreateTopic & Transacted): Promise<{ readonly topicId: string }>
  /** Adds a message; one over ENTRY_BYTES as chunks, where that is allowed. Resolves once there is consensus on all of it. */
  submit(params: Submission & Transacted): Promise<Submitted>
  setAccountMemo(params: { readonly account: string; readonly memo: string } & Transacted): Promise<void>
  /**
   * What became of a transaction whose answer was lost. `unknown`: the ledger has it not, or not yet, or not all of it;
   * `chunks`: in how many the message goes (see `chunkCount`). Throws LEDGER_UNREACHABLE where nobody can tell.
   */
  outcome(transaction: string, chunks?: number): Promise<Outcome>
  topic(id: string): Promise<TopicFacts | undefined>
  account(id: string): Promise<AccountFacts | undefined>
  /** Entries after a sequence number, in their order. Fewer than `limit` are not a sign that there are no more. */
  readAfter(params: ReadAfter): Promise<readonly LedgerEntry[]>
  /**
   * Calls back for every entry after a sequence number, in order, as far as the connection lasts; `onEnd` once it has
   * ended for whatever reason but `close`. A caller never relies on it: it looks with `readAfter` from time to time.
   */
  subscribe(params: Subscribe): { close(): void }
  close(): Promise<void>
}

export interface LedgerWriter {
  createTopic(params: CreateTopic & { readonly owner: TopicOwner }): Promise<LedgerTopic>
  /** The entries that it became, in order: one, or its chunks. */
  submit(params: Submission): Promise<readonly LedgerEntry[]>
}

/** What is written down of a new topic beside what the ledger has. */
export interface TopicOwner {
  readonly role: TopicRole
  readonly agent: string | null
  readonly entity: string | null
}

export interface Transacted {
  readonly transaction: string
}

export interface CreateTopic {
  readonly memo: string
  /**
   * `account:0.0.x`: whoever signs for that account; `account:0.0.x|0.0.y`: for any one of them, as on the topic of a
   * connection (see `accountsOfKey`); `key:<hex>`: who signs with a key, as HAPI's `Key`; null: nobody.
   */
  readonly adminKey: string | null
  /** The same; null: anybody. */
  readonly submitKey: string | null
  readonly payer: string
}

export interface Submission {
  readonly topicId: string
  readonly message: Uint8Array
  readonly payer: string
  /** The memo of the transaction, such as `hcs-10:op:6:3`. */
  readonly memo: string
  /** True where the message may be split. Never so for HCS-10, whose readers know no chunks. */
  readonly mayChunk: boolean
}

export interface Submitted {
  /** Of the last chunk. */
  readonly sequence: number
  /** In hex; null where the ledger did not say. */
  readonly runningHash: string | null
}

export type Outcome =
  | { readonly state: 'unknown' }
  | { readonly state: 'refused'; readonly status: string }
  | { readonly state: 'done'; readonly topicId: string | null; readonly sequence: number | null }

export interface TopicFacts {
  readonly id: string
  readonly memo: string
  readonly adminKey: string | null
  readonly submitKey: string | null
  readonly isDeleted: boolean
}

export interface AccountFacts {
  readonly id: string
  readonly memo: string
}

export interface ReadAfter {
  readonly topicId: string
  readonly after: number
  readonly limit: number
}

export interface Subscribe {
  readonly topicId: string
  readonly after: number
  readonly onEntry: (entry: LedgerEntry) => void
  readonly onEnd: (reason: string) => void
}
