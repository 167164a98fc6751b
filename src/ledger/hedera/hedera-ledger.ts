import { PosternError } from '../../model/errors.ts'
import type { Ledger } from '../ledger.ts'
import { createFaults } from './faults.ts'
import { createKeyring } from './key-names.ts'
import { createMirror } from './mirror.ts'
import { createMirrorRest } from './mirror-rest.ts'
import { createNodes } from './nodes.ts'
import { DEFAULT_TIMES, type HederaOptions } from './options.ts'
import { findOutcome } from './outcome.ts'
import { createPatience } from './patience.ts'
import { createSubscriptions } from './subscribe.ts'
import { type Order, transact } from './transact.ts'
import { createTransactionNames } from './transaction-names.ts'
import { createHederaWriter } from './writer.ts'

export type { HederaOptions } from './options.ts'
export { createSigner } from './signers.ts'

/** A Hedera network. Nothing is connected before the first call, and nothing that rests keeps a process alive. */
export function openHederaLedger(options: HederaOptions): Ledger {
  const { network, isPublic, operator, now = Date.now, random = Math.random } = options
  const closed = new AbortController()
  const times = { ...DEFAULT_TIMES, ...options.times }
  const patience = () => createPatience({ times, random, signal: closed.signal })
  const faults = createFaults(network)
  const nodes = createNodes(options.nodes, random)
  const mirror = createMirror(
    createMirrorRest({ url: options.mirror, faults, patience, signal: closed.signal }),
    faults,
  )
  const subscriptions = createSubscriptions({ address: options.mirrorGrpc, mirror, patience })
  const keyOf = async (account: string) => (await mirror.account(account))?.key ?? undefined
  const keyring = createKeyring({ keys: options.keys, faults, keyOf })
  const newTransaction = createTransactionNames({ now, random })
  const outcome = (transaction: string, chunks = 1) =>
    findOutcome({ nodes, mirror, faults, patience, now }, transaction, chunks)

  /** Where a node says that it is too late, what it became is found elsewhere, or nowhere. */
  async function settled(transaction: string) {
    const found = await outcome(transaction)
    if (found.state === 'refused') throw faults.refused(found.status)
    return found.state === 'done' ? { ...found, runningHash: null } : undefined
  }

  /** Nodes make no difference between what was deleted and what never was; a mirror does. */
  async function missing(topic: string) {
    const found = await mirror.topic(topic).catch(() => undefined)
    if (found?.isDeleted) return new PosternError('LEDGER_TOPIC_DELETED', { topic })
    return new PosternError('LEDGER_TOPIC_NOT_FOUND', { topic, network })
  }

  return {
    kind: 'hedera',
    network,
    isPublic,
    operator,
    within: undefined,
    newTransaction: (account = operator) => newTransaction(account),
    ...createHederaWriter({
      keyring,
      carry: (order: Order) => transact({ nodes, faults, patience, settled, now }, order),
      missing,
    }),
    outcome,
    async topic(id) {
      const found = await mirror.topic(id)
      if (!found) return undefined
      const { memo, isDeleted } = found
      const [adminKey, submitKey] = await Promise.all([found.adminKey, found.submitKey].map(keyring.name))
      return { id, memo, isDeleted, adminKey: adminKey ?? null, submitKey: submitKey ?? null }
    },
    async account(id) {
      const found = await mirror.account(id)
      return found && { id, memo: found.memo }
    },
    readAfter: mirror.readAfter,
    subscribe: subscriptions.open,
    async close() {
      closed.abort()
      subscriptions.close()
      nodes.close()
    },
  }
}
