import type { LedgerTopic } from '../../../model/ledger/topic.ts'
import type { Shelves } from '../../../store/store.ts'
import type { Key, TopicId } from '../../protocol/basics.ts'
import { formatId } from '../../protocol/names.ts'
import { isEmptyList, keepKey, keyOf } from '../keys.ts'
import { checkMemo, Refusal } from '../precheck.ts'
import { checkKey, type Handler, keyOfAccount, lockTopic, wantAccount, wantNewKey, wantSignature } from './handler.ts'

/** Anybody may make a topic; it is nobody's here. */
export const createTopic: Handler = {
  name: 'CONSENSUSCREATETOPIC',
  isOf: ({ createTopic }) => createTopic !== undefined,

  check({ body: { createTopic } }) {
    if (createTopic?.customFees) throw new Refusal('NOT_SUPPORTED')
    checkMemo(createTopic?.memo ?? '')
    checkKey(createTopic?.adminKey, 'INVALID_ADMIN_KEY')
    checkKey(createTopic?.submitKey, 'INVALID_SUBMIT_KEY')
  },

  async keys({ body: { createTopic } }, shelves) {
    return [createTopic?.adminKey, await keyOfAccount(shelves, createTopic?.autoRenewAccount)]
  },

  async handle({ context, tx, request, signers }) {
    const { memo = '', adminKey, submitKey, autoRenewAccount } = request.body.createTopic ?? {}
    wantNewKey({ signers }, adminKey)
    if (autoRenewAccount) await wantAccount({ tx, signers }, autoRenewAccount, 'INVALID_AUTORENEW_ACCOUNT')
    const topic = await context.ledger.within?.(tx).createTopic({
      memo,
      adminKey: keepKey(adminKey),
      submitKey: keepKey(submitKey),
      payer: request.payer,
      owner: { role: 'foreign', agent: null, entity: null },
    })
    if (!topic) throw new Error('only a local ledger can be served')
    return { topicId: topic.id }
  },
}

/** The owner's key must sign, and a new one too: nobody gives a topic to somebody who does not want it. */
export const updateTopic: Handler = {
  name: 'CONSENSUSUPDATETOPIC',
  isOf: ({ updateTopic }) => updateTopic !== undefined,

  check({ body: { updateTopic } }) {
    if (!updateTopic?.topic) throw new Refusal('INVALID_TOPIC_ID')
    if (updateTopic.customFees) throw new Refusal('NOT_SUPPORTED')
    checkMemo(updateTopic.memo?.value ?? '')
    checkKey(newKey(updateTopic.adminKey), 'INVALID_ADMIN_KEY')
    checkKey(newKey(updateTopic.submitKey), 'INVALID_SUBMIT_KEY')
  },

  async keys({ body: { updateTopic } }, shelves) {
    return [newKey(updateTopic?.adminKey), await adminKeyOf(shelves, updateTopic?.topic)]
  },

  async handle({ tx, request, signers }) {
    const { topic: id, memo, adminKey, submitKey } = request.body.updateTopic ?? {}
    const topic = await lockTopic(tx, id)
    if (topic.adminKey === null) throw new Refusal('UNAUTHORIZED')
    await wantSignature({ tx, signers }, topic.adminKey)
    wantNewKey({ signers }, newKey(adminKey))
    await tx.ledger.updateTopic({
      id: topic.id,
      memo: memo?.value ?? topic.memo,
      adminKey: changed(topic.adminKey, adminKey),
      submitKey: changed(topic.submitKey, submitKey),
      deletedAt: null,
    })
    return { topicId: topic.id }
  },
}

/** Nothing more is written to it; what stands there stays. */
export const deleteTopic: Handler = {
  name: 'CONSENSUSDELETETOPIC',
  isOf: ({ deleteTopic }) => deleteTopic !== undefined,

  check({ body: { deleteTopic } }) {
    if (!deleteTopic?.topic) throw new Refusal('INVALID_TOPIC_ID')
  },

  keys: async ({ body: { deleteTopic } }, shelves) => [await adminKeyOf(shelves, deleteTopic?.topic)],

  async handle({ context, tx, request, signers }) {
    const topic = await lockTopic(tx, request.body.deleteTopic?.topic)
    if (topic.adminKey === null) throw new Refusal('UNAUTHORIZED')
    await wantSignature({ tx, signers }, topic.adminKey)
    const { id, memo, adminKey, submitKey } = topic
    await tx.ledger.updateTopic({ id, memo, adminKey, submitKey, deletedAt: context.store.now() })
    return { topicId: id }
  },
}

export async function findTopic(shelves: Shelves, topicId: TopicId | undefined): Promise<LedgerTopic | undefined> {
  const id = formatId(topicId)
  const topic = id === undefined ? undefined : await shelves.ledger.getTopic({ id })
  return topic?.network === 'local' ? topic : undefined
}

async function adminKeyOf(shelves: Shelves, id: TopicId | undefined): Promise<Key | undefined> {
  return keyOf(shelves, (await findTopic(shelves, id))?.adminKey ?? null)
}

function newKey(key: Key | undefined): Key | undefined {
  return key && isEmptyList(key) ? undefined : key
}

function changed(kept: string | null, key: Key | undefined): string | null {
  return key ? keepKey(newKey(key)) : kept
}
