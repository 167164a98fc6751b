import { join } from 'node:path'
import type { Context, Ledgers } from '../../src/core/context.ts'
import { listenOnce } from '../../src/core/ledger/listen.ts'
import { openContext } from '../../src/host/open/context.ts'
import { openEmbedded } from '../../src/host/open/store.ts'
import type { Ledger } from '../../src/ledger/ledger.ts'
import type { LedgerEntry } from '../../src/model/ledger/entry.ts'
import { GENESIS_HASH } from '../../src/model/ledger/topic.ts'
import { type Contest, timed } from '../harness.ts'
import type { Lab } from '../lab.ts'

const MESSAGES = 2_000
const NETWORK = 'bench'
const PAYER = '0.0.7'
const TOPIC = '0.0.9001'
const NOTHING_ELSE = { role: 'inbound', agent: 'quinn', entity: null, adminKey: null, submitKey: null } as const

/** Entries that a mirror has already: what is measured is all that follows, up to the message in the inbox. */
export function listening(lab: Lab): Contest {
  return {
    title: `a listener takes in ${MESSAGES.toLocaleString('en')} messages`,
    rounds: lab.quick ? 3 : 8,
    contestants: [
      {
        name: 'listener',
        async enter() {
          return { block: async () => ({ 'messages a second': MESSAGES / ((await takeInAll(lab)) / 1000) }) }
        },
      },
    ],
    goals: [{ id: 'L3', ours: 'listener messages a second', atLeast: 2_000 }],
  }
}

async function takeInAll(lab: Lab): Promise<number> {
  const { store, wire } = await openEmbedded(join(lab.newFolder(), 'postern.db'), {})
  const { ctx } = openContext(store, wire, { limits: { pendingPerAgent: 1e6, pairBurst: 1e6, threadMessages: 1e6 } })
  const ledgers = await ledgersFrom(ctx)
  await register(ctx)
  const ms = await timed(1, async () => {
    let messages = 0
    for (let state = 'more'; state === 'more'; ) {
      const listened = await listenOnce(ctx, ledgers, TOPIC)
      messages += listened.messages
      state = listened.state
    }
    if (messages !== MESSAGES) throw new Error(`${messages} of ${MESSAGES} messages came in`)
  })
  await wire.close()
  await store.close()
  return ms
}

/** One agent writes to another, both with topics on the network. */
async function register({ store }: Context): Promise<void> {
  const now = store.now()
  await store.transact(async (tx) => {
    for (const [index, agent] of ['quinn', 'mindy'].entries()) {
      const id = { id: agent, kind: 'ai', displayName: agent, isOwner: false, createdAt: now, removedAt: null } as const
      await tx.agents.insert({ agent: id, idSkeleton: agent, nameSkeleton: agent, withBroadcasts: false })
      await tx.ledger.putIdentity({
        network: NETWORK,
        agent,
        account: PAYER,
        inboundTopicId: index === 0 ? TOPIC : '0.0.9101',
        outboundTopicId: `0.0.920${index}`,
        capabilities: [4],
        model: null,
        bio: null,
        profileTopicId: null,
        uaid: null,
        updatedAt: now,
      })
    }
    await tx.ledger.insertTopic({
      ...NOTHING_ELSE,
      id: TOPIC,
      network: NETWORK,
      memo: `hcs-10:0:3600:0:${PAYER}`,
      sequence: 0,
      runningHash: GENESIS_HASH,
      consensusAt: null,
      takenIn: 0,
      trouble: null,
      createdAt: now,
      deletedAt: null,
    })
  })
}

async function ledgersFrom(ctx: Context): Promise<Ledgers> {
  const { ledger, codec, settings } = await ctx.ledger()
  const entries = chainOf(codec.runningHash)
  const elsewhere: Ledger = {
    ...ledger,
    kind: 'hedera',
    network: NETWORK,
    within: undefined,
    readAfter: async ({ after, limit }) => entries.slice(after, after + Math.min(limit, 100)),
  }
  return { ledger: elsewhere, codec, settings: { ...settings, network: NETWORK } }
}

function chainOf(hash: Ledgers['codec']['runningHash']): readonly LedgerEntry[] {
  const entries: LedgerEntry[] = []
  for (let sequence = 1; sequence <= MESSAGES; sequence++) {
    const data = JSON.stringify({
      message_type: 'fyi',
      subject: `Message ${sequence}`,
      payload: { text: 'x'.repeat(200) },
    })
    const text = JSON.stringify({ p: 'hcs-10', op: 'message', operator_id: `0.0.9101@${PAYER}`, data })
    const entry = {
      topicId: TOPIC,
      sequence,
      consensusAt: `1756834060.${String(sequence).padStart(9, '0')}`,
      payer: PAYER,
      message: Buffer.from(text).toString('base64'),
    }
    const runningHash = hash(entries.at(-1)?.runningHash ?? GENESIS_HASH, entry)
    entries.push({ ...entry, chunk: null, runningHash })
  }
  return entries
}
