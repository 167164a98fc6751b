import { PosternError } from '../../model/errors.ts'
import type { PublishMode, SentMessage } from '../../model/ledger/ledgers.ts'
import type { ParcelPurpose } from '../../model/ledger/parcel.ts'
import { findSecret } from '../../model/ledger/secret-scan.ts'
import type { TopicRole } from '../../model/ledger/topic.ts'
import type { Message } from '../../model/message.ts'
import type { Ledgers, LedgerTx } from '../context.ts'
import { createParcelStrategy } from './write-down.ts'
import { createLocalStrategy } from './write-now.ts'

/** Something to publish: topics and entries that belong together. */
export interface Publication {
  readonly purpose: ParcelPurpose
  /** The agent, connection or work item that it is about. `followUp` finds it by this id. */
  readonly about: string | null
  /** The topic of its last entry. A remote ledger gets the publications of one lane in the order of their transactions. */
  readonly lane: string
  readonly payer: string
  /** The message that it carries. When the listener reads the entry back, it recognises this message. */
  readonly message: Message | null
  /** Writes the topics and entries, in order. It awaits nothing but the writer, and it may be called again. */
  readonly write: (entryWriter: EntryWriter) => Promise<void>
}

/**
 * Writes the topics and entries of a publication. The writer of the local ledger returns real ids and numbers at once.
 * The writer of a parcel records steps and returns references such as `{connection}`, which are replaced after the
 * ledger has taken the step.
 */
export interface EntryWriter {
  /** Returns the id of the topic. */
  createTopic(topic: LedgerTopicDraft): Promise<string>
  /** Returns the sequence number of the entry, or in a parcel a reference by the entry's name. */
  submit(entry: LedgerEntryDraft): Promise<string>
  setAccountMemo(change: { readonly account: string; readonly memo: string }): Promise<void>
  /** Returns the topic of a work item. It exists, or an earlier publication of the same lane creates it. */
  topicOfItem(entity: string): Promise<string>
}

export interface LedgerTopicDraft {
  /** How a parcel refers to it. Null: by a new random name, which no text written earlier can contain. */
  readonly name: string | null
  readonly memo: string
  readonly adminKey: string | null
  readonly submitKey: string | null
  readonly role: TopicRole
  readonly agent: string | null
  readonly entity: string | null
}

export interface LedgerEntryDraft {
  /** How a parcel refers to its sequence number. */
  readonly name?: string
  readonly topicId: string
  readonly text: string
  /** The memo of the transaction. */
  readonly memo?: string
  readonly mayChunk?: boolean
  /** True for an entry that only records another one: the publication does not take its sequence number. */
  readonly isRecord?: boolean
}

export interface PublicationOutcome extends Omit<Publication, 'write'> {
  /** The topics that it has created, by role. */
  readonly topics: Readonly<Partial<Record<TopicRole, string>>>
  /** The sequence number of its last entry that is no record; null while it is on its way. */
  readonly sequence: number | null
  /** The parcel that is on its way to a remote ledger; null once it is published. */
  readonly parcel: string | null
}

/** How publications get to a ledger. Both strategies write in the caller's transaction: all publications or none. */
export interface PublishStrategy {
  publish(publications: readonly Publication[], options: PublishOptions): Promise<readonly PublicationOutcome[]>
}

export interface PublishOptions {
  /** `ignore`: the budget was checked before, or nothing may be refused here. */
  readonly budget?: 'require' | 'ignore'
}

/** Publishes one publication. See `publishAll`. */
export async function publish(
  ltx: LedgerTx,
  publication: Publication,
  options: PublishOptions = {},
): Promise<PublicationOutcome> {
  const [outcome] = await publishAll(ltx, [publication], options)
  if (!outcome) throw new Error('a publication has no outcome')
  return outcome
}

/**
 * Publishes in the given order: on the local ledger at once, including the follow-up; for a remote ledger as parcels
 * that are sent later. Throws LEDGER_BUDGET_SPENT, before anything is written, if the day's budget does not cover all
 * of them.
 */
export function publishAll(
  ltx: LedgerTx,
  publications: readonly Publication[],
  options: PublishOptions = {},
): Promise<readonly PublicationOutcome[]> {
  const { within } = ltx.ledgers.ledger
  const strategy = within ? createLocalStrategy(ltx, within) : createParcelStrategy(ltx)
  return strategy.publish(publications, options)
}

/** Refuses to publish what looks like a secret. A ledger that only this deployment reads is not checked. */
export function requireNoSecret({ ledger }: Ledgers, mode: PublishMode, text: string): void {
  if (!ledger.isPublic || mode === 'off') return
  const what = findSecret(text)
  if (what !== undefined) throw new PosternError('LEDGER_SECRET_FOUND', { what })
}

/** The place of an entry on the ledger, in the form that answers have. */
export type EntryPlace = Pick<SentMessage, 'topic_id' | 'sequence' | 'parcel'>

export const NOWHERE: EntryPlace = { topic_id: null, sequence: null, parcel: null }

/** The place of a publication's last entry, on the topic of its lane. */
export function placeOf({ lane, sequence, parcel }: PublicationOutcome): EntryPlace {
  return { topic_id: lane, sequence, parcel }
}
