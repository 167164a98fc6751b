import type { LedgerTopic } from '../../../model/ledger/topic.ts'
import type { LedgerAccount, Shelves } from '../../../store/store.ts'
import type { AccountId, Key, TopicId } from '../../protocol/basics.ts'
import { formatId } from '../../protocol/names.ts'
import type { StatusName } from '../../protocol/status.ts'
import type { TransactionBody } from '../../protocol/transactions.ts'
import { isSignedBy, isUsable, keyOf, readKey } from '../keys.ts'
import { Refusal, type Request } from '../precheck.ts'
import type { Outcome } from '../receipts.ts'
import type { ServeContext } from '../serve-context.ts'

/** One kind of transaction that a node takes. */
export interface Handler {
  /** As mirrors call it. */
  readonly name: string
  /** Whether a body is of this kind. */
  readonly isOf: (body: TransactionBody) => boolean
  /** Before it is taken. Throws a Refusal; awaits nothing. */
  readonly check: (request: Request) => void
  /** All keys that may have to sign, as far as is known before the transaction of the store. */
  readonly keys: (request: Request, shelves: Shelves) => Promise<readonly (Key | undefined)[]>
  /** In the transaction of the store. Throws a Refusal before anything is written. */
  readonly handle: (job: Job) => Promise<Done>
}

export interface Job {
  readonly context: ServeContext
  readonly tx: Shelves
  readonly request: Request
  /** Names of the keys that have signed. */
  readonly signers: ReadonlySet<string>
}

export interface Done extends Pick<Outcome, 'accountId' | 'topicId' | 'sequence' | 'runningHash'> {
  /** Where the ledger has given it a time. */
  readonly consensusAt?: string
  /** Called after the commit. */
  readonly afterwards?: (() => void) | undefined
}

/** Locked, so that what was checked is still so when it is written. A deleted one is as good as none. */
export async function lockTopic(tx: Shelves, topicId: TopicId | undefined): Promise<LedgerTopic> {
  const id = formatId(topicId)
  const topic = id === undefined ? undefined : await tx.ledger.lockTopic({ id })
  if (topic?.network !== 'local' || topic.deletedAt !== null) throw new Refusal('INVALID_TOPIC_ID')
  return topic
}

/** Refuses what the owner of a key has not signed. Null: nobody has to. */
export async function wantSignature(job: Pick<Job, 'tx' | 'signers'>, kept: string | null): Promise<void> {
  const key = await keyOf(job.tx, kept)
  if (key && !isSignedBy(key, job.signers)) throw new Refusal('INVALID_SIGNATURE')
}

export function wantNewKey({ signers }: Pick<Job, 'signers'>, key: Key | undefined): void {
  if (key && !isSignedBy(key, signers)) throw new Refusal('INVALID_SIGNATURE')
}

export async function wantAccount(
  job: Pick<Job, 'tx' | 'signers'>,
  accountId: AccountId | undefined,
  missing: StatusName,
): Promise<LedgerAccount> {
  const id = formatId(accountId)
  const account = id === undefined ? undefined : await job.tx.ledger.getAccount({ id })
  if (!account) throw new Refusal(missing)
  if (!isSignedBy(readKey(account.key), job.signers)) throw new Refusal('INVALID_SIGNATURE')
  return account
}

/** The key of an account that may have to sign. */
export async function keyOfAccount(shelves: Shelves, accountId: AccountId | undefined): Promise<Key | undefined> {
  const id = formatId(accountId)
  return id === undefined ? undefined : keyOf(shelves, `account:${id}`)
}

export function checkKey(key: Key | undefined, otherwise: StatusName): void {
  if (key && !isUsable(key)) throw new Refusal(otherwise)
}
