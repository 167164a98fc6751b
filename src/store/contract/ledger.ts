import type { LedgerConnection } from '../../model/ledger/connection.ts'
import type { EntryChunk, LedgerEntry } from '../../model/ledger/entry.ts'
import type { LedgerIdentity } from '../../model/ledger/identity.ts'
import type { LedgerParcel, ParcelState } from '../../model/ledger/parcel.ts'
import type { LedgerTopic, TopicRole } from '../../model/ledger/topic.ts'

/** Topics, their entries, who has which, and what is on its way to a ledger elsewhere. Alike on both engines. */
export interface LedgerShelf {
  /** The next number of an account or a topic of the local ledger: `0.0.<number>`. */
  nextNumber(): Promise<number>
  insertTopic(topic: LedgerTopic): Promise<void>
  getTopic(params: { readonly id: string }): Promise<LedgerTopic | undefined>
  /** The same, and nobody else writes to it until the transaction ends. */
  lockTopic(params: { readonly id: string }): Promise<LedgerTopic | undefined>
  /** By their numbers. */
  listTopics(params: ListTopics): Promise<readonly LedgerTopic[]>
  /** Memo, keys, deletion: what a topic's owner may change. */
  updateTopic(params: Pick<LedgerTopic, 'id' | 'memo' | 'adminKey' | 'submitKey' | 'deletedAt'>): Promise<void>
  /**
   * The next entry of a topic of the local ledger, with its running hash and its time: in microseconds, not before now,
   * after all others of the topic, and the same as none in the store. On PostgreSQL it is a single statement.
   * Undefined where it may not be written: there is no such topic, it was deleted, its key is not this payer's, or the
   * transaction is there already. The caller looks why.
   */
  addEntry(entry: NewEntry): Promise<LedgerEntry | undefined>
  /** Adds entries that follow the topic's last one, and moves its head. An entry that is there already is left as it is. */
  append(params: { readonly topicId: string; readonly entries: readonly LedgerEntry[] }): Promise<void>
  setTakenIn(params: { readonly topicId: string; readonly sequence: number }): Promise<void>
  setTrouble(params: Pick<LedgerTopic, 'trouble'> & { readonly topicId: string }): Promise<void>
  entriesAfter(params: {
    readonly topicId: string
    readonly after: number
    readonly limit: number
  }): Promise<readonly LedgerEntry[]>
  getEntry(params: { readonly topicId: string; readonly sequence: number }): Promise<LedgerEntry | undefined>
  entryAt(params: { readonly consensusAt: string }): Promise<LedgerEntry | undefined>
  /** The entry that was added under a transaction; of a message in chunks the last one. */
  entryOf(params: { readonly transaction: string }): Promise<LedgerEntry | undefined>
  /** All chunks of a message that are there, by their numbers. */
  chunksOf(params: { readonly topicId: string; readonly transaction: string }): Promise<readonly LedgerEntry[]>
  /** Of messages in several chunks that have one after a time and not after another; the oldest first. */
  chunkTransactions(params: ChunkSpan): Promise<readonly string[]>

  putIdentity(identity: LedgerIdentity): Promise<void>
  identityOf(params: { readonly network: string; readonly agent: string }): Promise<LedgerIdentity | undefined>
  identities(params: { readonly network: string }): Promise<readonly LedgerIdentity[]>

  /** Accounts of the local ledger that are nobody's here: made by whoever speaks its real protocol. */
  putAccount(account: LedgerAccount): Promise<void>
  getAccount(params: { readonly id: string }): Promise<LedgerAccount | undefined>

  /** What became of a transaction on the local ledger, where no entry says so. It is known for a day. */
  putTransaction(transaction: LedgerTransaction): Promise<void>
  getTransaction(params: { readonly id: string }): Promise<LedgerTransaction | undefined>
  reapTransactions(params: { readonly before: number; readonly limit: number }): Promise<number>

  /** A text of which only the hash is published, in hex; kept for good. One that is there already is left as it is. */
  putBody(params: { readonly sha256: string; readonly text: string; readonly createdAt: number }): Promise<void>
  bodyOf(params: { readonly sha256: string }): Promise<string | undefined>

  putConnection(connection: LedgerConnection): Promise<void>
  getConnection(params: { readonly id: string }): Promise<LedgerConnection | undefined>
  connectionOn(params: { readonly network: string; readonly topicId: string }): Promise<LedgerConnection | undefined>
  /** By the place of the request that began it. */
  connectionOf(params: {
    readonly network: string
    readonly inboundTopicId: string
    readonly requestId: number
  }): Promise<LedgerConnection | undefined>
  connections(params: { readonly network: string; readonly agent?: string }): Promise<readonly LedgerConnection[]>

  insertParcel(parcel: LedgerParcel): Promise<void>
  /** Locked until the transaction ends. */
  lockParcel(params: { readonly id: string }): Promise<LedgerParcel | undefined>
  parcelOfMessage(params: { readonly messageId: string }): Promise<LedgerParcel | undefined>
  /** The newest first. */
  listParcels(params: { readonly state?: ParcelState; readonly limit: number }): Promise<readonly LedgerParcel[]>
  updateParcel(parcel: LedgerParcel): Promise<void>
  /** Waiting ones whose time has come, oldest first; none of a topic whose earlier parcel still waits. */
  dueParcels(params: DueParcels): Promise<readonly LedgerParcel[]>
  /**
   * Those of a network whose message has been awaited in its inboxes since before a time, the longest first: nobody has
   * looked yet whether it is there. Those too whose entry was given up: the mail is not.
   */
  lateParcels(params: LateParcels): Promise<readonly LedgerParcel[]>
  /** Null: nobody need look any more. A parcel that carries a message is awaited since it was written down. */
  setAwaited(params: { readonly id: string; readonly since: number | null }): Promise<void>
  /** Those of a lane that are not done with, waiting or refused; oldest first. */
  openParcels(params: { readonly lane: string }): Promise<readonly LedgerParcel[]>
  countParcels(params: { readonly state: ParcelState }): Promise<number>
  /** What was spent on a network since a time, in billionths of a US dollar, with what is on its way. */
  spentSince(params: { readonly network: string; readonly since: number }): Promise<number>
  /** Removes parcels that were done with before a time; not while there is the message that they carry. */
  reapParcels(params: { readonly before: number; readonly limit: number }): Promise<number>
}

export interface ListTopics {
  readonly network: string
  readonly role?: TopicRole
  readonly agent?: string
  readonly entity?: string
}

export interface ChunkSpan {
  readonly topicId: string
  /** Consensus times; empty: from the beginning. */
  readonly after: string
  readonly upTo: string
  readonly limit: number
}

export interface DueParcels {
  readonly network: string
  readonly now: number
  readonly limit: number
}

export interface LateParcels {
  readonly network: string
  readonly before: number
  readonly limit: number
}

export interface LedgerAccount {
  readonly id: string
  readonly memo: string
  /** As HAPI's `Key`, in hex. */
  readonly key: string
  readonly createdAt: number
}

export interface NewEntry {
  readonly topicId: string
  readonly payer: string
  /** In base64. */
  readonly message: string
  readonly chunk: EntryChunk | null
  /** By which it is found again; null: it needs none. */
  readonly transaction: string | null
  /** True where the caller has checked that the topic's key has signed. */
  readonly isSigned: boolean
  /** PostgreSQL goes by its own clock. */
  readonly now: number
}

export interface LedgerTransaction {
  /** `0.0.2@1713898880.739044003` */
  readonly id: string
  /** The topic that it has made or written to. */
  readonly topicId: string | null
  /** The account that it has made or changed. */
  readonly account: string | null
  readonly sequence: number | null
  readonly runningHash: string | null
  /** What the ledger's server tells of a transaction of somebody else, as it writes it; absent for our own. */
  readonly receipt?: string | null
  readonly createdAt: number
}
