import type { Json } from '../json.ts'
import type { LedgerConnection } from './connection.ts'
import type { LedgerEntry } from './entry.ts'
import type { LedgerIdentity } from './identity.ts'
import type { LedgerParcel } from './parcel.ts'
import type { SeedPriority } from './seed-priority.ts'
import type { LedgerTopic } from './topic.ts'
import type { EntityType, RefType } from './work-item.ts'

/** Messages on the record, in the words of seed 003. A plain `inbox.push` is on no ledger. */
export interface Messages {
  /**
   * To the inbound topic of the recipient, and into its inbox: at once on the local ledger; elsewhere at once up to
   * priority 2 and with a key, and otherwise when the entry comes back from the ledger. Shown once in any case.
   */
  send(input: SendMessage): Promise<SentMessages>
  /** Only into the inbox, for what a system has to say; nothing is published. */
  sendInbox(input: SendMessage): Promise<SentMessages>
}

export interface SendMessage {
  /** A slug, or `ALL`: everybody but the sender, each with a message of its own. */
  readonly to_agent: string
  readonly message_type: string
  readonly subject: string
  readonly payload?: Json
  readonly context?: Json
  /** A topic, such as 0.0.1005, or any other name of what it is about. */
  readonly ref_id?: string
  readonly ref_type?: RefType
  readonly priority?: SeedPriority
  /** Sent again under the same key, it is the same message. */
  readonly dedup_key?: string
}

export interface SentMessages {
  readonly ledger: LedgerLabel
  readonly messages: readonly SentMessage[]
}

export interface SentMessage {
  readonly message_id: string
  readonly to_agent: string
  readonly duplicate: boolean
  /** In the inbox already; false: it comes when its entry does, or is held. */
  readonly in_inbox: boolean
  /** Agents were answering each other too often: a person lets it go. */
  readonly held: boolean
  readonly publish: PublishMode
  /** Null where nothing is published. */
  readonly topic_id: string | null
  /** Null while it is on its way, and where nothing is published. */
  readonly sequence: number | null
  /** The parcel that is on its way; null where it has arrived or nothing is published. */
  readonly parcel: string | null
}

/** Which ledger it is. Everything that speaks of entries says so. */
export interface LedgerLabel {
  readonly kind: 'local' | 'hedera'
  readonly network: string
  /** False: only this deployment vouches for it. */
  readonly public_consensus: boolean
}

/** full: the whole message; hash: its subject and a hash of the rest; off: nothing. */
export const PUBLISH_MODES = ['full', 'hash', 'off'] as const
export type PublishMode = (typeof PUBLISH_MODES)[number]

export interface Notes {
  /** Writes a note on the topic of a work item and tells those whom it names, each once. */
  post(input: PostNote): Promise<PostedNote>
  list(input: ListNotes): Promise<NotePage>
}

export interface PostNote {
  /** A topic (`0.0.1005`) or the name of a work item, which then gets a topic if it has none (`PROJ-12`). */
  readonly entity_id: string
  readonly entity_type: EntityType
  readonly note: string
  readonly notify?: readonly string[]
  readonly priority?: SeedPriority
}

export interface PostedNote {
  readonly ledger: LedgerLabel
  readonly entity: string
  /** With `hash` its words are kept by this deployment alone. */
  readonly publish: PublishMode
  /** Null while the topic is on its way, and where nothing is published. */
  readonly topic_id: string | null
  readonly sequence: number | null
  readonly parcel: string | null
  /** Who is told, and who is not registered and therefore not told. */
  readonly notified: readonly string[]
  readonly skipped: readonly string[]
}

export interface ListNotes {
  readonly entity_id: string
  readonly entity_type: EntityType
  /** Behind this sequence number. */
  readonly after?: number
  readonly limit?: number
}

export interface NotePage {
  readonly ledger: LedgerLabel
  readonly topic_id: string | null
  readonly notes: readonly Note[]
  readonly next: number | null
}

export interface Note {
  readonly sequence: number
  readonly consensus_at: string
  readonly type: string
  /** As the note says; it is so only where `verified`. */
  readonly from_agent: string
  readonly verified: boolean
  readonly payer: string
  readonly note: string
  readonly notify: readonly string[]
}

export interface LedgerDesk {
  /** Which ledger, who pays, what is on its way, what was spent today and what may be. */
  status(): Promise<LedgerStatus>
  /** Topics and profile for agents that have none; safe to repeat. Absent: all that are registered. */
  setup(input: { readonly agents?: readonly string[] }): Promise<LedgerSetup>
  topics(input: { readonly role?: string; readonly agent?: string }): Promise<readonly LedgerTopic[]>
  /** The topic of a work item, made if there is none. */
  createTopic(input: { readonly entity: string }): Promise<CreatedTopic>
  read(input: ReadTopic): Promise<TopicPage>
  /** Walks a topic from its beginning. What is wrong is an answer, not an error. */
  verify(input: { readonly topic: string; readonly after?: VerifyMark; readonly limit?: number }): Promise<Verified>
  profile(input: { readonly agent: string }): Promise<LedgerProfile>
  /** Changes what a profile says and publishes it again. */
  setProfile(input: SetProfile): Promise<LedgerProfile>
  /** Something has happened to a work item: those of the routing table are told. */
  emit(input: EmitEvent): Promise<PostedNote>
  connections(input: { readonly agent?: string }): Promise<readonly LedgerConnection[]>
  /** Asks an outsider for a connection. */
  connect(input: { readonly agent?: string; readonly inbound_topic_id: string }): Promise<LedgerConnection>
  accept(input: { readonly id: string }): Promise<LedgerConnection>
  reject(input: { readonly id: string; readonly reason?: string }): Promise<LedgerConnection>
  disconnect(input: { readonly id: string; readonly reason?: string }): Promise<LedgerConnection>
  /** To the outsider on the other side of a connection. */
  say(input: { readonly connection: string; readonly text: string }): Promise<Said>
  /** What is on its way, or was refused. */
  parcels(input: { readonly state?: string }): Promise<readonly LedgerParcel[]>
  retry(input: { readonly id: string }): Promise<LedgerParcel>
  drop(input: { readonly id: string }): Promise<LedgerParcel>
}

export interface LedgerStatus {
  readonly ledger: LedgerLabel
  readonly operator: string
  readonly topics: number
  readonly waiting: number
  readonly refused: number
  /** In US dollars, of this day (UTC); null: no bound. */
  readonly spentToday: number
  readonly budgetPerDay: number | null
}

export interface LedgerSetup {
  readonly ledger: LedgerLabel
  readonly agents: readonly (LedgerIdentity & { readonly isNew: boolean })[]
  /** Agents whose topics are still on their way to the ledger. */
  readonly waiting: readonly string[]
  /** What it costs, in US dollars. */
  readonly price: number
}

export interface CreatedTopic {
  readonly ledger: LedgerLabel
  readonly entity: string
  /** Null while it is on its way. */
  readonly topic: LedgerTopic | null
  readonly isNew: boolean
}

export interface ReadTopic {
  readonly topic: string
  readonly after?: number
  readonly limit?: number
}

export interface TopicPage {
  readonly ledger: LedgerLabel
  readonly topic: LedgerTopic
  readonly entries: readonly (LedgerEntry & {
    /** The text of the entry, where it is UTF-8; of a chunk only its part. */
    readonly text: string | null
    /** What the hash of a note or an event stands for, where only that was published and this deployment has the rest. */
    readonly body: string | null
  })[]
  readonly next: number | null
}

/** Where a walk has come to. */
export interface VerifyMark {
  readonly sequence: number
  readonly runningHash: string
}

export interface Verified {
  readonly ledger: LedgerLabel
  readonly topic: string
  /** Where what is held of it begins: 1, but for somebody else's topic that is followed from its middle. */
  readonly heldFrom: number
  /** Entries that were looked at in this walk. */
  readonly entries: number
  readonly mark: VerifyMark
  readonly isDone: boolean
  /** The first entry that is not as it must be. */
  readonly bad: { readonly sequence: number; readonly reason: string } | null
}

export interface LedgerProfile {
  readonly ledger: LedgerLabel
  readonly identity: LedgerIdentity
  /** As HCS-11 has it. */
  readonly profile: Json
  /** As seed 003 publishes it. */
  readonly agent_definition: Json
}

export interface SetProfile {
  readonly agent: string
  readonly capabilities?: readonly number[]
  readonly model?: string
  readonly bio?: string
}

export interface EmitEvent {
  /** The topic of a work item, or the item: `task:PROJ-12`. */
  readonly topic: string
  /** Such as `task.blocked`. */
  readonly type: string
  readonly subject?: string
  readonly payload?: Json
}

export interface Said {
  readonly ledger: LedgerLabel
  readonly topic_id: string
  readonly sequence: number | null
  readonly parcel: string | null
}
