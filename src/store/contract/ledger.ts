import type { LedgerConnection } from '../../model/ledger/connection.ts'
import type { EntryChunk, LedgerEntry } from '../../model/ledger/entry.ts'
import type { LedgerIdentity } from '../../model/ledger/identity.ts'
import type { LedgerParcel, ParcelState } from '../../model/ledger/parcel.ts'
import type { LedgerTopic, TopicRole } from '../../model/ledger/topic.ts'

/**
 * Topics and their entries, the identities and accounts that write them, and parcels on their way to a remote ledger.
 * The same on both engines.
 *
 * Entries of a topic are numbered without gaps and never change. Repeatable are `putIdentity`, `putAccount` and
 * `putConnection`, which insert or overwrite, `putBody`, `append`, and `addEntry` under a transaction id. Other methods
 * that insert are not: they fail if the id exists.
 */
export interface LedgerShelf {
  /** The next free number of an account or a topic of the local ledger: `0.0.<number>`. Each number is given once. */
  nextNumber(): Promise<number>
  /**
   * Throws LEDGER_CONFIG_INVALID if the id belongs to a topic of another network: entries know a topic by its id alone.
   * The same topic of the same network is a lost race.
   */
  insertTopic(topic: LedgerTopic): Promise<void>
  getTopic(params: { readonly id: string }): Promise<LedgerTopic | undefined>
  /** The same, locked: nobody else can write to the topic until the transaction ends. */
  lockTopic(params: { readonly id: string }): Promise<LedgerTopic | undefined>
  /** By number. */
  listTopics(params: ListTopics): Promise<readonly LedgerTopic[]>
  /** Writes what a topic's owner may change: memo, keys, deletion. Repeatable. */
  updateTopic(params: Pick<LedgerTopic, 'id' | 'memo' | 'adminKey' | 'submitKey' | 'deletedAt'>): Promise<void>
  /**
   * Adds the next entry of a topic of the local ledger, with its running hash and its time. The time is in microseconds,
   * not before now, later than every other entry of the topic, and unique in the store. One statement on PostgreSQL.
   *
   * Undefined, and nothing is written, if the topic does not exist or was deleted, if its key is not this payer's, or if
   * the transaction has an entry already. The last case makes it safe to repeat. The caller finds out which it was.
   */
  addEntry(entry: NewEntry): Promise<LedgerEntry | undefined>
  /** Adds entries that follow the topic's last one, and moves its head. Repeatable: existing entries stay. */
  append(params: { readonly topicId: string; readonly entries: readonly LedgerEntry[] }): Promise<void>
  /** Up to which entry the topic has been read into inboxes. */
  setTakenIn(params: { readonly topicId: string; readonly sequence: number }): Promise<void>
  /** Why the topic cannot be followed; null clears it. */
  setTrouble(params: Pick<LedgerTopic, 'trouble'> & { readonly topicId: string }): Promise<void>
  /** By number. */
  entriesAfter(params: {
    readonly topicId: string
    readonly after: number
    readonly limit: number
  }): Promise<readonly LedgerEntry[]>
  getEntry(params: { readonly topicId: string; readonly sequence: number }): Promise<LedgerEntry | undefined>
  entryAt(params: { readonly consensusAt: string }): Promise<LedgerEntry | undefined>
  /** The entry that was added under a transaction; for a message in chunks, the last one. */
  entryOf(params: { readonly transaction: string }): Promise<LedgerEntry | undefined>
  /** The chunks of a message that have arrived, by number. */
  chunksOf(params: { readonly topicId: string; readonly transaction: string }): Promise<readonly LedgerEntry[]>
  /** Transactions of chunked messages that have a chunk after one time and not after another, oldest first. */
  chunkTransactions(params: ChunkSpan): Promise<readonly string[]>

  putIdentity(identity: LedgerIdentity): Promise<void>
  identityOf(params: { readonly network: string; readonly agent: string }): Promise<LedgerIdentity | undefined>
  /** By agent. */
  identities(params: { readonly network: string }): Promise<readonly LedgerIdentity[]>

  /** An account of the local ledger that belongs to no agent: a client made it over the ledger's own protocol. */
  putAccount(account: LedgerAccount): Promise<void>
  getAccount(params: { readonly id: string }): Promise<LedgerAccount | undefined>

  /** The outcome of a transaction on the local ledger that left no entry. Kept for a day. */
  putTransaction(transaction: LedgerTransaction): Promise<void>
  getTransaction(params: { readonly id: string }): Promise<LedgerTransaction | undefined>
  /** Removes outcomes from before a time, oldest first, at most `limit`, and returns how many. */
  reapTransactions(params: { readonly before: number; readonly limit: number }): Promise<number>

  /** A text of which only the hash is published, in hex. Kept for good; an existing one stays as it is. */
  putBody(params: { readonly sha256: string; readonly text: string; readonly createdAt: number }): Promise<void>
  bodyOf(params: { readonly sha256: string }): Promise<string | undefined>

  putConnection(connection: LedgerConnection): Promise<void>
  getConnection(params: { readonly id: string }): Promise<LedgerConnection | undefined>
  connectionOn(params: { readonly network: string; readonly topicId: string }): Promise<LedgerConnection | undefined>
  /** By the entry of the request that began the connection. */
  connectionOf(params: {
    readonly network: string
    readonly inboundTopicId: string
    readonly requestId: number
  }): Promise<LedgerConnection | undefined>
  connections(params: { readonly network: string; readonly agent?: string }): Promise<readonly LedgerConnection[]>

  /** Parcels keep the order in which they are inserted. One that carries a message is awaited from its creation. */
  insertParcel(parcel: LedgerParcel): Promise<void>
  /** The parcel, locked until the transaction ends. */
  lockParcel(params: { readonly id: string }): Promise<LedgerParcel | undefined>
  parcelOfMessage(params: { readonly messageId: string }): Promise<LedgerParcel | undefined>
  /** Newest first. */
  listParcels(params: { readonly state?: ParcelState; readonly limit: number }): Promise<readonly LedgerParcel[]>
  /** Writes every field of an existing parcel. Lock it first: it overwrites what others wrote. */
  updateParcel(parcel: LedgerParcel): Promise<void>
  /** Waiting parcels that are due, oldest first; at most the first one of each lane. Locks nothing. */
  dueParcels(params: DueParcels): Promise<readonly LedgerParcel[]>
  /**
   * Parcels of a network whose message has been awaited in its inboxes since before a time, longest first: nobody has
   * checked yet whether it arrived. Includes parcels whose entry was dropped, because their mail was not.
   */
  lateParcels(params: LateParcels): Promise<readonly LedgerParcel[]>
  /** Null: nobody has to check any more. */
  setAwaited(params: { readonly id: string; readonly since: number | null }): Promise<void>
  /** The unfinished parcels of a lane, waiting or refused; oldest first. */
  openParcels(params: { readonly lane: string }): Promise<readonly LedgerParcel[]>
  countParcels(params: { readonly state: ParcelState }): Promise<number>
  /** What was spent on a network since a time, in billionths of a US dollar, including parcels on their way. */
  spentSince(params: { readonly network: string; readonly since: number }): Promise<number>
  /** Removes parcels that were finished before a time, at most `limit`. One stays while its message exists. */
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
  /** A consensus time, exclusive; empty: from the beginning. */
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
  /** The id by which the entry is found again; null: it needs none. */
  readonly transaction: string | null
  /** True if the caller has checked that the topic's key has signed. */
  readonly isSigned: boolean
  /** PostgreSQL uses its own clock instead. */
  readonly now: number
}

export interface LedgerTransaction {
  /** `0.0.2@1713898880.739044003` */
  readonly id: string
  /** The topic that it made or wrote to. */
  readonly topicId: string | null
  /** The account that it made or changed. */
  readonly account: string | null
  readonly sequence: number | null
  readonly runningHash: string | null
  /** The receipt of another client's transaction, as the ledger's server encodes it; absent for our own. */
  readonly receipt?: string | null
  readonly createdAt: number
}
