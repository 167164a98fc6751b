import { describe, expect, it } from 'vitest'
import { runningHash } from '../kit/node/running-hash.ts'
import type { LedgerEntry } from '../model/ledger/entry.ts'
import { GENESIS_HASH, type LedgerTopic } from '../model/ledger/topic.ts'
import { CHAIN_START, verifyTopic, walkChain } from './verify.ts'

const TOPIC_ID = '0.0.1005'

function chainOf(count: number, change: (entry: LedgerEntry) => Partial<LedgerEntry> = () => ({})): LedgerEntry[] {
  const entries: LedgerEntry[] = []
  for (let sequence = 1; sequence <= count; sequence++) {
    const consensusAt = `${998 + sequence}.000001000`
    const plain = { topicId: TOPIC_ID, sequence, consensusAt, payer: '0.0.2', message: 'eA==', chunk: null }
    const entry = { ...plain, runningHash: '' }
    const changed = { ...entry, ...change(entry) }
    entries.push({ ...changed, runningHash: runningHash(entries.at(-1)?.runningHash ?? GENESIS_HASH, changed) })
  }
  return entries
}

function topicWith(last: LedgerEntry | undefined, rest: Partial<LedgerTopic> = {}): LedgerTopic {
  const { sequence = 0, runningHash: hash = GENESIS_HASH, consensusAt = null } = last ?? {}
  const whose = { id: TOPIC_ID, network: 'testnet', role: 'foreign', agent: null, entity: null, memo: '' } as const
  const keys = { adminKey: null, submitKey: null, takenIn: 0, trouble: null, createdAt: 1, deletedAt: null }
  return { ...whose, ...keys, sequence, runningHash: hash, consensusAt, ...rest }
}

function shelfOf(topic: LedgerTopic, entries: readonly LedgerEntry[]) {
  return {
    getTopic: async () => topic,
    getEntry: async ({ sequence }: { readonly sequence: number }) => entries.find((one) => one.sequence === sequence),
    entriesAfter: async ({ after, limit }: { readonly after: number; readonly limit: number }) =>
      entries.filter(({ sequence }) => sequence > after).slice(0, limit),
  }
}

describe('a chain', () => {
  it('is followed to its end, also over a time that gets a digit more', () => {
    expect(walkChain(TOPIC_ID, CHAIN_START, chainOf(4))).toMatchObject({ mark: { sequence: 4 }, bad: null })
  })

  it.each<[string, (entry: LedgerEntry) => Partial<LedgerEntry>, number, string]>([
    ['whose time stands still', () => ({ consensusAt: '999.000001000' }), 2, 'time'],
    ['whose time goes back', ({ sequence }) => ({ consensusAt: `${2_000 - sequence}.000001000` }), 3, 'time'],
    ['whose time has not all of its digits', () => ({ consensusAt: '5000.1' }), 2, 'not written'],
    ['whose payer is no account', () => ({ payer: '0.0.x' }), 2, 'not written'],
    ['whose payer counts as another', () => ({ payer: '0.0.9007199254740993' }), 2, 'not written'],
    ['of another topic', ({ sequence }) => (sequence === 2 ? { topicId: '0.0.1006' } : {}), 2, 'not written'],
    [
      'with a chunk of somebody else',
      ({ sequence }) => (sequence === 2 ? { chunk: { transaction: '0.0.3@1.000000001', number: 1, total: 2 } } : {}),
      2,
      'part of a message',
    ],
  ])('is broken by an entry %s, though its hash fits', (_, change, at, reason) => {
    const entries = chainOf(3, (entry) => (entry.sequence > 1 ? change(entry) : {}))
    const { mark, bad } = walkChain(TOPIC_ID, CHAIN_START, entries)
    expect([mark.sequence, bad?.sequence]).toEqual([at - 1, at])
    expect(bad?.reason).toContain(reason)
  })
})

it('is broken by an entry whose message is not even text, as SQLite lets it be', () => {
  const entries = chainOf(3).map((entry) =>
    entry.sequence === 2 ? { ...entry, message: Buffer.from(entry.message) as unknown as string } : entry,
  )
  expect(walkChain(TOPIC_ID, CHAIN_START, entries)).toMatchObject({ mark: { sequence: 1 }, bad: { sequence: 2 } })
})

it.each(['x', 1.5])('a topic that says %j of its last entry is bad, and the walk over it ends', async (sequence) => {
  const entries = chainOf(2)
  const topic = topicWith(entries.at(-1), { network: 'local', sequence: sequence as number })
  const walk = await verifyTopic({ shelf: shelfOf(topic, entries), topicId: TOPIC_ID })
  expect(walk).toMatchObject({ isDone: false, bad: { sequence: 1 } })
})

describe('a topic of somebody else', () => {
  it('that is followed from its middle is good from there on', async () => {
    const entries = chainOf(9)
    const held = entries.slice(4)
    const walk = await verifyTopic({ shelf: shelfOf(topicWith(entries.at(-1)), held), topicId: TOPIC_ID })
    expect(walk).toMatchObject({ heldFrom: 5, entries: 4, isDone: true, bad: null, mark: { sequence: 9 } })
    const broken = held.map((entry) => (entry.sequence === 7 ? { ...entry, payer: '0.0.3' } : entry))
    const found = await verifyTopic({ shelf: shelfOf(topicWith(entries.at(-1)), broken), topicId: TOPIC_ID })
    expect(found).toMatchObject({ isDone: false, bad: { sequence: 7 } })
  })

  it('of which nothing has come yet has nothing that is bad', async () => {
    const topic = topicWith(undefined, { sequence: 5, runningHash: '' })
    const walk = await verifyTopic({ shelf: shelfOf(topic, []), topicId: TOPIC_ID })
    expect(walk).toMatchObject({ heldFrom: 6, entries: 0, isDone: true, bad: null })
  })

  it.each([
    { role: 'inbound' },
    { network: 'local' },
  ] as const)('is no excuse for %o, which has all entries', async (rest) => {
    const entries = chainOf(9)
    const shelf = shelfOf(topicWith(entries.at(-1), rest), entries.slice(4))
    expect(await verifyTopic({ shelf, topicId: TOPIC_ID })).toMatchObject({ heldFrom: 1, bad: { sequence: 1 } })
  })
})
