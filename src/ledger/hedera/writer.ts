import { PosternError } from '../../model/errors.ts'
import { parseLedgerId } from '../../model/ledger/topic.ts'
import { accountsOfKey } from '../../model/ledger/topic-key.ts'
import type { CreateTopic, Ledger, Submission, Transacted } from '../ledger.ts'
import { parseId, toTransactionId } from '../protocol/names.ts'
import { NODE_CALLS } from '../protocol/services.ts'
import { requireMemo, splitMessage } from '../rules.ts'
import type { Keyring } from './key-names.ts'
import { chunkTransaction } from './outcome.ts'
import type { Settled } from './receipts.ts'
import type { Order } from './transact.ts'

/** In tinybars, of which a hbar has a hundred million: far more than it costs, so that only nonsense is refused. */
const MAX_FEES = { createTopic: 2_500_000_000n, submit: 200_000_000n, update: 200_000_000n } as const
/** Nobody reckons with what the owner of a topic takes for a message, and it may be everything that its sender has. */
const NO_FEES = [{ amount: 0n }]
/** How long a topic lives before its payer is asked to pay for as long again, as Hedera's own clients have it. */
const RENEWAL_SECONDS = 7_890_000

type Carry = (order: Order) => Promise<Settled>

export interface WriterParts {
  readonly keyring: Keyring
  readonly carry: Carry
  /** Why a node does not know a topic. */
  readonly missing: (topicId: string) => Promise<PosternError>
}

/** The part of a ledger that writes. */
export function createHederaWriter(parts: WriterParts): Pick<Ledger, 'createTopic' | 'submit' | 'setAccountMemo'> {
  const { keyring, carry } = parts
  return {
    createTopic: (params) => createTopic(keyring, carry, params),
    submit: (params) =>
      submit(keyring, carry, params).catch(async (error) => {
        throw isUnknownTopic(error) ? await parts.missing(params.topicId) : error
      }),
    async setAccountMemo({ account, memo, transaction }) {
      await carry({
        transaction,
        path: NODE_CALLS.updateAccount,
        body: { updateAccount: { account: parseId(parseLedgerId(account)), memo: { value: requireMemo(memo) } } },
        maxFee: MAX_FEES.update,
        signers: [await keyring.signer(account)],
      })
    },
  }
}

async function createTopic(keyring: Keyring, carry: Carry, params: CreateTopic & Transacted) {
  const { memo, payer, transaction } = params
  const [adminKey, submitKey] = await Promise.all([params.adminKey, params.submitKey].map(keyring.resolve))
  const accounts = [...new Set([payer, ...adminsBeside(payer, params.adminKey)])]
  const { topicId } = await carry({
    transaction,
    path: NODE_CALLS.createTopic,
    body: {
      createTopic: {
        memo: requireMemo(memo),
        adminKey,
        submitKey,
        autoRenewPeriod: { seconds: RENEWAL_SECONDS },
        autoRenewAccount: parseId(payer),
      },
    },
    maxFee: MAX_FEES.createTopic,
    signers: await Promise.all(accounts.map(keyring.signer)),
  })
  if (topicId === null) throw new Error(`the receipt of ${transaction} names no topic`)
  return { topicId }
}

/** Whoever may change a topic has to agree to that when it is made; of several, one is enough. */
function adminsBeside(payer: string, adminKey: string | null): readonly string[] {
  const accounts = (adminKey === null ? undefined : accountsOfKey(adminKey)) ?? []
  return accounts.includes(payer) ? [] : accounts.slice(0, 1)
}

/** One after the other, each once there is consensus on the one before it: so they stand in their order. */
async function submit(keyring: Keyring, carry: Carry, params: Submission & Transacted) {
  const { topicId, message, payer, memo, transaction, mayChunk } = params
  const parts = splitMessage(message, mayChunk)
  const signers = [await keyring.signer(payer)]
  let settled: Settled = { topicId: null, sequence: null, runningHash: null }
  for (const [index, part] of parts.entries()) {
    const chunk = { initialTransaction: toTransactionId(transaction), total: parts.length, number: index + 1 }
    settled = await carry({
      transaction: chunkTransaction(transaction, index + 1),
      path: NODE_CALLS.submitMessage,
      body: {
        memo: requireMemo(memo),
        submitMessage: {
          topic: parseId(parseLedgerId(topicId)),
          message: part,
          chunk: parts.length === 1 ? undefined : chunk,
        },
        customFeeLimits: [{ account: parseId(payer), fees: NO_FEES }],
      },
      maxFee: MAX_FEES.submit,
      signers,
    })
  }
  return { sequence: settled.sequence ?? 0, runningHash: settled.runningHash }
}

function isUnknownTopic(error: unknown): boolean {
  return error instanceof PosternError && error.details['status'] === 'INVALID_TOPIC_ID'
}
