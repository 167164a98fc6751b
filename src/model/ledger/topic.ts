import { PosternError } from '../errors.ts'

/**
 * A log on a ledger to which entries are only ever added. What is known of a topic here: the last entry that we hold of
 * it, which on the local ledger is the last one there is.
 */
export interface LedgerTopic {
  /** Such as `0.0.1005`. */
  readonly id: string
  /** `local`, or the network: `mainnet`, `testnet`, … */
  readonly network: string
  readonly role: TopicRole
  /** Whose it is: the agent of an inbound, outbound, connection or file topic. */
  readonly agent: string | null
  /** The work item whose topic it is, such as `task:PROJ-12`. */
  readonly entity: string | null
  readonly memo: string
  /** Who may change it, and who may write to it; null: nobody, and anybody. */
  readonly adminKey: string | null
  readonly submitKey: string | null
  /** The last entry that is held here; 0 where there is none. */
  readonly sequence: number
  /** Of that entry, in hex; 48 zero bytes at the beginning. */
  readonly runningHash: string
  /** Of that entry, as `seconds.nanoseconds`; null where there is none. */
  readonly consensusAt: string | null
  /** How far its entries were understood; a listener goes on behind it. */
  readonly takenIn: number
  /** Why nothing more is taken from it, such as `gap at 12` or `broken at 7`; null while it goes on. */
  readonly trouble: string | null
  readonly createdAt: number
  readonly deletedAt: number | null
}

/**
 *   inbound, outbound  what others write to an agent; what the agent did
 *   connection         between one of our agents and an outsider
 *   work               a task, phase, stage or project
 *   definitions        the agents of this deployment, as seed 003 publishes them
 *   file               an HCS-1 file
 *   foreign            somebody else's: followed for an answer, or made by an outsider
 */
export const TOPIC_ROLES = ['inbound', 'outbound', 'connection', 'work', 'definitions', 'file', 'foreign'] as const
export type TopicRole = (typeof TOPIC_ROLES)[number]

export const GENESIS_HASH = '00'.repeat(48)

/** The hash of a topic that is followed from its middle: the first entry is believed, and all later ones are checked. */
export const UNKNOWN_HASH = ''
export const MEMO_BYTES = 100
/** How long readers may keep what they know of a topic, as the memos of the seed say. */
export const MEMO_TTL = 3600

const TOPIC_ID = /^(?:0|[1-9][0-9]{0,9})\.(?:0|[1-9][0-9]{0,9})\.(?:0|[1-9][0-9]{0,15})$/

/** `shard.realm.num`, of a topic or an account. No number is so large that it counts as its neighbour, and hashes alike. */
export function isLedgerId(value: unknown): value is string {
  if (typeof value !== 'string' || !TOPIC_ID.test(value)) return false
  return Number.isSafeInteger(Number(value.slice(value.lastIndexOf('.') + 1)))
}

export function parseLedgerId(value: unknown): string {
  if (isLedgerId(value)) return value
  throw new PosternError('LEDGER_ID_INVALID', { value })
}
