import { ProtocolError } from '../protocol/bytes.ts'
import type { Written } from '../protocol/message.ts'
import { formatId, parseId, parseTime } from '../protocol/names.ts'
import { COST_ANSWER, type Query, type Response } from '../protocol/queries.ts'
import { STATUS, type StatusName } from '../protocol/status.ts'
import { findAccount } from './accounts.ts'
import { keyOf, readKey } from './keys.ts'
import { tryFormat } from './precheck.ts'
import { type Outcome, outcomeOf, RECEIPT_MS, receiptOf } from './receipts.ts'
import { BALANCE, LEDGER_ID, RENEW_SECONDS, type ServeContext } from './serve-context.ts'
import { nanosOf, timeOfMs } from './times.ts'
import { findTopic } from './transactions/topics.ts'

type Answer = Written<typeof Response>
type Asked<Kind extends keyof Query> = NonNullable<Query[Kind]>

/** How a question is answered. All of them are free, so whoever asks for the price hears nothing. */
export function answerQuery(context: ServeContext, query: Query): Promise<Answer> {
  if (query.receipt) return answerReceipt(context, query.receipt)
  if (query.record) return answerRecord(context, query.record)
  if (query.balance) return answerBalance(context, query.balance)
  if (query.accountInfo) return answerAccountInfo(context, query.accountInfo)
  if (query.topicInfo) return answerTopicInfo(context, query.topicInfo)
  throw new ProtocolError('nobody asks for anything that is known here')
}

async function answerReceipt(context: ServeContext, { header, transaction }: Asked<'receipt'>): Promise<Answer> {
  const id = tryFormat(transaction)
  if (id === undefined) return { receipt: { header: headerOf(header, 'INVALID_TRANSACTION_ID') } }
  const outcome = await freshOutcome(context, id)
  if (!outcome)
    return { receipt: { header: headerOf(header, 'RECEIPT_NOT_FOUND'), receipt: { status: STATUS.UNKNOWN } } }
  return { receipt: { header: headerOf(header, 'OK'), receipt: receiptOf(outcome) } }
}

async function answerRecord(context: ServeContext, { header, transaction }: Asked<'record'>): Promise<Answer> {
  const id = tryFormat(transaction)
  const outcome = id === undefined ? undefined : await freshOutcome(context, id)
  if (!outcome) return { record: { header: headerOf(header, 'RECORD_NOT_FOUND') } }
  if (header?.responseType === COST_ANSWER) return { record: { header: headerOf(header, 'OK') } }
  const record = {
    receipt: receiptOf(outcome),
    hash: Buffer.from(outcome.hash, 'base64'),
    consensusAt: parseTime(outcome.consensusAt),
    id: transaction,
    memo: outcome.memo,
  }
  return { record: { header: headerOf(header, 'OK'), record } }
}

/** A node remembers nothing that is older. */
async function freshOutcome({ store }: ServeContext, transaction: string): Promise<Outcome | undefined> {
  const outcome = await outcomeOf(store.read, transaction)
  const oldest = nanosOf(timeOfMs(store.now() - RECEIPT_MS))
  return outcome && nanosOf(outcome.consensusAt) > oldest ? outcome : undefined
}

async function answerBalance({ store }: ServeContext, { header, account }: Asked<'balance'>): Promise<Answer> {
  const found = await findAccount(store.read, formatId(account))
  if (!found) return { balance: { header: headerOf(header, 'INVALID_ACCOUNT_ID') } }
  return { balance: { header: headerOf(header, 'OK'), account, balance: BigInt(BALANCE) } }
}

async function answerAccountInfo({ store }: ServeContext, { header, account }: Asked<'accountInfo'>): Promise<Answer> {
  const found = await findAccount(store.read, formatId(account))
  if (!found) return { accountInfo: { header: headerOf(header, 'INVALID_ACCOUNT_ID') } }
  if (header?.responseType === COST_ANSWER) return { accountInfo: { header: headerOf(header, 'OK') } }
  const { memo, key } = found
  const info = { account, key: readKey(key), balance: BigInt(BALANCE), memo, ...lastingFrom(store.now()) }
  return { accountInfo: { header: headerOf(header, 'OK'), info } }
}

async function answerTopicInfo({ store }: ServeContext, { header, topic: id }: Asked<'topicInfo'>): Promise<Answer> {
  const topic = await findTopic(store.read, id)
  if (!topic || topic.deletedAt !== null) return { topicInfo: { header: headerOf(header, 'INVALID_TOPIC_ID') } }
  const asked = { header: headerOf(header, 'OK'), topic: parseId(topic.id) }
  if (header?.responseType === COST_ANSWER) return { topicInfo: asked }
  const info = {
    memo: topic.memo,
    runningHash: Buffer.from(topic.runningHash, 'hex'),
    sequence: topic.sequence,
    adminKey: await keyOf(store.read, topic.adminKey),
    submitKey: await keyOf(store.read, topic.submitKey),
    ...lastingFrom(store.now()),
  }
  return { topicInfo: { ...asked, info } }
}

function lastingFrom(now: number) {
  return {
    expirationTime: parseTime(timeOfMs(now + RENEW_SECONDS * 1000)),
    autoRenewPeriod: { seconds: RENEW_SECONDS },
    ledgerId: LEDGER_ID,
  }
}

function headerOf(header: { readonly responseType: number } | undefined, status: StatusName) {
  return { precheck: STATUS[status], responseType: header?.responseType ?? 0, cost: 0n }
}
