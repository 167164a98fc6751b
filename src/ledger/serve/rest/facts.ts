import type { LedgerTopic } from '../../../model/ledger/topic.ts'
import type { LedgerAccount, Shelves } from '../../../store/store.ts'
import { Key } from '../../protocol/basics.ts'
import { statusName } from '../../protocol/status.ts'
import { findAccount } from '../accounts.ts'
import { keyOf, readKey } from '../keys.ts'
import { type Outcome, outcomeOf } from '../receipts.ts'
import { BALANCE, NODE_ACCOUNT, RENEW_SECONDS } from '../serve-context.ts'
import { nanosOf, timeOf, timeOfMs } from '../times.ts'
import { notFound } from './errors.ts'
import { invalid } from './filters.ts'

/** `/api/v1/topics/{id}` */
export async function showTopic(shelves: Shelves, id: string): Promise<unknown> {
  const topic = await shelves.ledger.getTopic({ id })
  if (topic?.network !== 'local') throw notFound()
  const keys = {
    admin_key: keyShape(await keyOf(shelves, topic.adminKey)),
    submit_key: keyShape(await keyOf(shelves, topic.submitKey)),
  }
  return { ...topicShape(topic), ...keys }
}

function topicShape({ id, memo, createdAt, deletedAt }: LedgerTopic) {
  const created = timeOfMs(createdAt)
  return {
    auto_renew_account: null,
    auto_renew_period: RENEW_SECONDS,
    created_timestamp: created,
    custom_fees: { created_timestamp: created, fixed_fees: [] },
    deleted: deletedAt !== null,
    fee_exempt_key_list: [],
    fee_schedule_key: null,
    memo,
    timestamp: { from: created, to: null },
    topic_id: id,
  }
}

/** `/api/v1/accounts/{id}` */
export async function showAccount(shelves: Shelves, id: string, now: number): Promise<unknown> {
  const account = await findAccount(shelves, id)
  if (!account) throw notFound()
  return { ...accountShape(account, now), transactions: [], links: { next: null } }
}

function accountShape({ id, memo, key, createdAt }: LedgerAccount, now: number) {
  return {
    account: id,
    alias: null,
    auto_renew_period: RENEW_SECONDS,
    balance: { balance: BALANCE, timestamp: timeOfMs(now), tokens: [] },
    created_timestamp: timeOfMs(createdAt),
    decline_reward: false,
    deleted: false,
    ethereum_nonce: 0,
    evm_address: null,
    expiry_timestamp: null,
    key: keyShape(readKey(key)),
    max_automatic_token_associations: 0,
    memo,
    pending_reward: 0,
    receiver_sig_required: false,
    staked_account_id: null,
    staked_node_id: null,
    stake_period_start: null,
  }
}

const TRANSACTION = /^(0\.0\.\d{1,16})-(\d{1,10})-(\d{1,9})$/

/** `/api/v1/transactions/{account}-{seconds}-{nanoseconds}` */
export async function showTransaction(shelves: Shelves, written: string): Promise<unknown> {
  const [, payer, seconds = '', nanos = ''] = TRANSACTION.exec(written) ?? []
  if (payer === undefined) throw invalid('transactionId')
  const start = `${Number(seconds)}.${nanos.padStart(9, '0')}`
  const outcome = await outcomeOf(shelves, `${payer}@${start}`)
  if (!outcome) throw notFound()
  return { transactions: [transactionShape(outcome, { payer, start })] }
}

function transactionShape(outcome: Outcome, { payer, start }: { readonly payer: string; readonly start: string }) {
  return {
    bytes: null,
    charged_tx_fee: 0,
    consensus_timestamp: timeOf(nanosOf(outcome.consensusAt)),
    entity_id: outcome.topicId ?? outcome.accountId ?? null,
    max_fee: '0',
    memo_base64: Buffer.from(outcome.memo).toString('base64'),
    name: outcome.name,
    nft_transfers: [],
    node: NODE_ACCOUNT,
    nonce: 0,
    parent_consensus_timestamp: null,
    result: statusName(outcome.status),
    scheduled: false,
    staking_reward_transfers: [],
    token_transfers: [],
    transaction_hash: outcome.hash,
    transaction_id: `${payer}-${start.replace('.', '-')}`,
    transfers: [],
    valid_duration_seconds: String(outcome.validSeconds),
    valid_start_timestamp: start,
  }
}

/** Single keys as they are, lists as the protocol writes them. */
function keyShape(key: Key | undefined): { readonly _type: string; readonly key: string } | null {
  if (!key) return null
  if (key.ed25519) return { _type: 'ED25519', key: Buffer.from(key.ed25519).toString('hex') }
  if (key.secp256k1) return { _type: 'ECDSA_SECP256K1', key: Buffer.from(key.secp256k1).toString('hex') }
  return { _type: 'ProtobufEncoded', key: Buffer.from(Key.encode(key)).toString('hex') }
}
