import type { Message } from '../message.ts'
import type { TopicRole } from './topic.ts'

/**
 * Something that is to be written to a ledger elsewhere: steps that are done one after the other. It is stored in the
 * transaction that decides on it, and tried until the ledger has taken every step or has refused one. So nothing is half
 * published without a record that goes on. The local ledger is written to at once and needs no parcels; it only keeps a
 * published one for a message with its sender's own key, as the receipt that a repeated send is answered from.
 *
 *   waiting ─the ledger has all of it→ published
 *      ├──the ledger says no──────────→ refused ─a person tries again→ waiting
 *      └──a person gives it up────────→ dropped
 */
export interface LedgerParcel extends ParcelDraft {
  /** `par_…` */
  readonly id: string
  readonly network: string
  /** How many steps the ledger has taken. */
  readonly done: number
  /** Topics that its steps have made and places where they have written, by the names of the steps. */
  readonly made: Readonly<Record<string, string>>
  /** The place of its last submission that is no mere record of another, once that is known. */
  readonly sequence: number | null
  /** The transaction under which the next step is tried; null before its first try. */
  readonly transaction: string | null
  readonly attempts: number
  readonly nextAt: number
  readonly state: ParcelState
  readonly error: string | null
  readonly createdAt: number
  readonly doneAt: number | null
}

export interface ParcelDraft {
  readonly purpose: ParcelPurpose
  /** The agent, the connection or the work item that it is about; what follows once it is published goes by it. */
  readonly about: string | null
  /** Parcels of one lane are published in the order in which they were written down: the topic they end on. */
  readonly lane: string
  readonly payer: string
  readonly steps: readonly ParcelStep[]
  /** In billionths of a US dollar; 0 for a receipt of the local ledger. */
  readonly price: number
  /** The message whose content it carries, whole: its entry is joined with it when it comes in again. */
  readonly message: Message | null
}

/**
 * `{name}` in a topic or a text stands for the topic, or the place, that an earlier step has made under that name;
 * `{task:PROJ-12}` as a topic for that of the work item, which an earlier parcel of the same lane has made.
 */
export type ParcelStep =
  | {
      readonly kind: 'topic'
      readonly name: string
      readonly memo: string
      readonly adminKey: string | null
      readonly submitKey: string | null
      readonly role: TopicRole
      readonly agent: string | null
      readonly entity: string | null
    }
  | {
      readonly kind: 'submission'
      /** Where a later step has to say at which place this one stands. */
      readonly name?: string
      readonly topicId: string
      readonly text: string
      /** Of the transaction. */
      readonly memo: string
      readonly mayChunk: boolean
      /** True for what is written on an own topic about another step: its place is not the parcel's. */
      readonly isRecord?: boolean
    }
  | { readonly kind: 'memo'; readonly account: string; readonly memo: string }

export const PARCEL_PURPOSES = [
  'setup',
  'profile',
  'work',
  'message',
  'sent',
  'note',
  'event',
  'request',
  'accept',
  'close',
] as const
export type ParcelPurpose = (typeof PARCEL_PURPOSES)[number]

export const PARCEL_MOVES = {
  waiting: ['published', 'refused', 'dropped'],
  refused: ['waiting', 'dropped'],
  published: [],
  dropped: [],
} as const satisfies Record<string, readonly string[]>

export type ParcelState = keyof typeof PARCEL_MOVES
