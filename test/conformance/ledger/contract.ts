import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { CreateTopic, Ledger } from '../../../src/ledger/ledger.ts'
import { CHAIN_START, walkChain } from '../../../src/ledger/verify.ts'
import { ENTRY_BYTES, type LedgerEntry, MAX_CHUNKS } from '../../../src/model/ledger/entry.ts'
import { createSignal } from '../../helpers/signal.ts'

/** A ledger for one rule, and an account that may pay there and has no key but what the ledger itself signs with. */
export interface LedgerWorld {
  readonly ledger: Ledger
  readonly payer: string
}

/** What a mirror tells comes a little later than what a node has said. */
const SOON = { timeout: 20_000, interval: 20 }

/** An Ed25519 key that nobody has, as HAPI writes it. */
const NOBODYS_KEY = `key:1220${'5a'.repeat(32)}`

/** Rules that every ledger keeps, whoever embodies it. `open` closes what it opens when the test has finished. */
export function ledgerContract(subject: string, open: () => Promise<LedgerWorld>): void {
  describe(`${subject}: topics`, () => stateTopics(open))
  describe(`${subject}: entries`, () => stateEntries(open))
  describe(`${subject}: transactions`, () => stateTransactions(open))
  describe(`${subject}: refusals`, () => stateRefusals(open))
  describe(`${subject}: followers`, () => stateFollowers(open))
}

type Open = () => Promise<LedgerWorld>

function stateTopics(open: Open): void {
  it('says who it is, and names transactions by their account, each once', async () => {
    const { ledger, payer } = await open()
    expect(ledger.network).not.toBe('')
    const made = Array.from({ length: 100 }, () => ledger.newTransaction(payer))
    expect(new Set(made).size).toBe(100)
    for (const one of made) expect(one).toMatch(new RegExp(`^${payer.replaceAll('.', '\\.')}@[0-9]+\\.[0-9]{9}$`))
    expect(ledger.newTransaction().split('@')[0]).toBe(ledger.operator)
  })

  it('makes topics of their own, with memo and keys as they were asked for', async () => {
    const { ledger, payer } = await open()
    const key = `account:${payer}`
    const [plain, kept] = [
      await makeTopic({ ledger, payer }, { memo: 'hcs-10:0:3600:0:0.0.5' }),
      await makeTopic({ ledger, payer }, { adminKey: key, submitKey: key }),
    ]
    expect(plain).not.toBe(kept)
    await vi.waitFor(async () => {
      expect(await ledger.topic(plain)).toEqual({
        id: plain,
        memo: 'hcs-10:0:3600:0:0.0.5',
        adminKey: null,
        submitKey: null,
        isDeleted: false,
      })
      expect(await ledger.topic(kept)).toMatchObject({ memo: '', adminKey: key, submitKey: key })
    }, SOON)
  })

  it('knows nothing of topics and accounts that are not there', async () => {
    const { ledger } = await open()
    expect(await ledger.topic('0.0.999999')).toBeUndefined()
    expect(await ledger.account('0.0.999998')).toBeUndefined()
    expect(await ledger.readAfter({ topicId: '0.0.999999', after: 0, limit: 10 })).toEqual([])
  })

  it('keeps the memo of an account', async () => {
    const { ledger, payer } = await open()
    const memo = { account: payer, memo: 'hcs-11:hcs://1/0.0.5', transaction: ledger.newTransaction(payer) }
    await ledger.setAccountMemo(memo)
    await ledger.setAccountMemo(memo)
    await vi.waitFor(async () => expect(await ledger.account(payer)).toMatchObject({ memo: memo.memo }), SOON)
  })
}

function stateEntries(open: Open): void {
  it('gives entries back as they were submitted, numbered from one, later each time and chained', async () => {
    const world = await open()
    const topicId = await makeTopic(world)
    const messages = ['first', '{"p":"hcs-10"}', 'ü'.repeat(500)].map((text) => Buffer.from(text))
    const submitted = []
    for (const message of messages) submitted.push(await submit(world, topicId, message))
    const entries = await readAll(world, topicId, 3)
    expect(entries.map(({ message }) => Buffer.from(message, 'base64'))).toEqual(messages)
    expect(entries).toMatchObject(messages.map((_, at) => ({ sequence: at + 1, payer: world.payer, chunk: null })))
    expect(submitted.map(({ sequence }) => sequence)).toEqual([1, 2, 3])
    expect(submitted.map(({ runningHash }, at) => runningHash ?? entries[at]?.runningHash)).toEqual(
      entries.map(({ runningHash }) => runningHash),
    )
    expectChain(topicId, entries)
  })

  it('takes bytes that are no text', async () => {
    const world = await open()
    const topicId = await makeTopic(world)
    const bytes = Buffer.from([0, 255, 254, 0, 10, 13])
    await submit(world, topicId, bytes)
    const [entry] = await readAll(world, topicId, 1)
    expect(Buffer.from(entry?.message ?? '', 'base64')).toEqual(bytes)
  })

  it('splits a long message into chunks that share a transaction, where that is allowed', async () => {
    const world = await open()
    const topicId = await makeTopic(world)
    const message = Buffer.from(Array.from({ length: 2 * ENTRY_BYTES + 1 }, (_, at) => at % 251))
    const transaction = world.ledger.newTransaction(world.payer)
    const { sequence } = await submit(world, topicId, message, { mayChunk: true, transaction })
    const entries = await readAll(world, topicId, 3)
    expect(sequence).toBe(3)
    expect(entries.map(({ chunk }) => chunk)).toEqual([1, 2, 3].map((number) => ({ transaction, number, total: 3 })))
    expect(Buffer.concat(entries.map((entry) => Buffer.from(entry.message, 'base64')))).toEqual(message)
    expectChain(topicId, entries)
  })

  it('reads on from any place, never more than is asked for', async () => {
    const world = await open()
    const topicId = await makeTopic(world)
    for (let number = 1; number <= 5; number++) await submit(world, topicId, Buffer.from(`${number}`))
    const all = await readAll(world, topicId, 5)
    expect(await world.ledger.readAfter({ topicId, after: 1, limit: 2 })).toEqual(all.slice(1, 3))
    expect(await world.ledger.readAfter({ topicId, after: 5, limit: 2 })).toEqual([])
  })

  it('loses none of many that come at once, on several topics', async () => {
    const world = await open()
    const topics = [await makeTopic(world), await makeTopic(world)]
    const wanted = Array.from({ length: 40 }, (_, at) => ({ topicId: topics[at % 2] ?? '', text: `number ${at}` }))
    await Promise.all(wanted.map(({ topicId, text }) => submit(world, topicId, Buffer.from(text))))
    const times = new Set<string>()
    for (const topicId of topics) {
      const entries = await readAll(world, topicId, 20)
      const texts = entries.map(({ message }) => Buffer.from(message, 'base64').toString()).sort()
      expect(texts).toEqual(wanted.flatMap((one) => (one.topicId === topicId ? one.text : [])).sort())
      expectChain(topicId, entries)
      for (const { consensusAt } of entries) times.add(consensusAt)
    }
    expect(times.size).toBe(40)
  })
}

function stateTransactions(open: Open): void {
  it('writes once what is submitted twice under one transaction, and answers alike', async () => {
    const world = await open()
    const topicId = await makeTopic(world)
    const transaction = world.ledger.newTransaction(world.payer)
    const first = await submit(world, topicId, Buffer.from('once'), { transaction })
    const again = await submit(world, topicId, Buffer.from('once'), { transaction })
    expect(again.sequence).toBe(first.sequence)
    await submit(world, topicId, Buffer.from('another'))
    expect((await readAll(world, topicId, 2)).map(({ sequence }) => sequence)).toEqual([1, 2])
  })

  it('writes once a message in chunks that is submitted twice under one transaction', async () => {
    const world = await open()
    const topicId = await makeTopic(world)
    const options = { mayChunk: true, transaction: world.ledger.newTransaction(world.payer) }
    const message = Buffer.alloc(ENTRY_BYTES + 1, 'x')
    expect(await submit(world, topicId, message, options)).toMatchObject({ sequence: 2 })
    expect(await submit(world, topicId, message, options)).toMatchObject({ sequence: 2 })
    expect(await submit(world, topicId, Buffer.from('another'))).toMatchObject({ sequence: 3 })
  })

  it('makes one topic under one transaction', async () => {
    const { ledger, payer } = await open()
    const params = { ...TOPIC, payer, memo: 'once', transaction: ledger.newTransaction(payer) }
    const [first, again] = [await ledger.createTopic(params), await ledger.createTopic(params)]
    expect(again).toEqual(first)
  })

  it('tells what became of a transaction, also of one that nobody has ever sent', async () => {
    const world = await open()
    const { ledger, payer } = world
    const [making, writing] = [ledger.newTransaction(payer), ledger.newTransaction(payer)]
    expect(await ledger.outcome(making)).toEqual({ state: 'unknown' })
    const { topicId } = await ledger.createTopic({ ...TOPIC, payer, transaction: making })
    const { sequence } = await submit(world, topicId, Buffer.from('x'), { transaction: writing })
    await vi.waitFor(async () => {
      expect(await ledger.outcome(making)).toMatchObject({ state: 'done', topicId })
      expect(await ledger.outcome(writing)).toMatchObject({ state: 'done', sequence })
    }, SOON)
  })
}

function stateRefusals(open: Open): void {
  it('lets the account whose key it is write to a topic', async () => {
    const world = await open()
    const topicId = await makeTopic(world, { submitKey: `account:${world.payer}` })
    expect(await submit(world, topicId, Buffer.from('mine'))).toMatchObject({ sequence: 1 })
  })

  it('lets nobody write to a topic whose key has not signed', async () => {
    const world = await open()
    const topicId = await makeTopic(world, { submitKey: NOBODYS_KEY })
    await refused(submit(world, topicId, Buffer.from('not mine')), ['LEDGER_REFUSED'])
    expect(await world.ledger.readAfter({ topicId, after: 0, limit: 10 })).toEqual([])
  })

  it('refuses what is written to no topic, and what is empty', async () => {
    const world = await open()
    const missing = submit(world, '0.0.999999', Buffer.from('x'))
    await refused(missing, ['LEDGER_TOPIC_NOT_FOUND', 'LEDGER_REFUSED'])
    const topicId = await makeTopic(world)
    await refused(submit(world, topicId, Buffer.alloc(0)), ['LEDGER_REFUSED', 'LEDGER_ENTRY_INVALID'])
  })

  it('refuses more than one entry holds, or than all chunks together, and writes nothing of it', async () => {
    const world = await open()
    const topicId = await makeTopic(world)
    await refused(submit(world, topicId, Buffer.alloc(ENTRY_BYTES + 1, 'x')), TOO_LARGE)
    const all = Buffer.alloc(MAX_CHUNKS * ENTRY_BYTES + 1, 'x')
    await refused(submit(world, topicId, all, { mayChunk: true }), TOO_LARGE)
    expect(await submit(world, topicId, Buffer.alloc(ENTRY_BYTES, 'x'))).toMatchObject({ sequence: 1 })
  })

  it('refuses memos of more than a hundred bytes', async () => {
    const world = await open()
    const memo = 'ü'.repeat(51)
    await refused(makeTopic(world, { memo }), ['LEDGER_MEMO_INVALID', 'LEDGER_REFUSED'])
    await makeTopic(world, { memo: 'ü'.repeat(50) })
  })
}

function stateFollowers(open: Open): void {
  it('calls back for every entry behind a place, in order and once', async () => {
    const world = await open()
    const topicId = await makeTopic(world)
    for (const text of ['1', '2', '3']) await submit(world, topicId, Buffer.from(text))
    await readAll(world, topicId, 3)
    const heard = createSignal<LedgerEntry>()
    const following = world.ledger.subscribe({ topicId, after: 1, onEntry: heard.fire, onEnd: () => {} })
    onTestFinished(() => following.close())
    await heard.times(2)
    for (const text of ['4', '5']) await submit(world, topicId, Buffer.from(text))
    const entries = await heard.times(4)
    expect(entries.map(({ sequence }) => sequence)).toEqual([2, 3, 4, 5])
    expect(entries).toEqual((await readAll(world, topicId, 5)).slice(1))
  })

  it('calls back no more once it was closed, and says nothing of an end', async () => {
    const world = await open()
    const topicId = await makeTopic(world)
    const [closed, other, ended] = [createSignal<LedgerEntry>(), createSignal<LedgerEntry>(), createSignal<string>()]
    const following = world.ledger.subscribe({ topicId, after: 0, onEntry: closed.fire, onEnd: ended.fire })
    following.close()
    following.close()
    const stays = world.ledger.subscribe({ topicId, after: 0, onEntry: other.fire, onEnd: () => {} })
    onTestFinished(() => stays.close())
    await submit(world, topicId, Buffer.from('x'))
    await other.fired
    expect([closed.values, ended.values]).toEqual([[], []])
  })
}

const TOPIC: Omit<CreateTopic, 'payer'> = { memo: '', adminKey: null, submitKey: null }
const TOO_LARGE = ['LEDGER_MESSAGE_TOO_LARGE', 'LEDGER_REFUSED']

export async function makeTopic({ ledger, payer }: LedgerWorld, topic: Partial<CreateTopic> = {}): Promise<string> {
  const transaction = ledger.newTransaction(payer)
  return (await ledger.createTopic({ ...TOPIC, payer, ...topic, transaction })).topicId
}

export function submit(
  { ledger, payer }: LedgerWorld,
  topicId: string,
  message: Uint8Array,
  { mayChunk = false, transaction = ledger.newTransaction(payer) } = {},
) {
  return ledger.submit({ topicId, message, payer, memo: '', mayChunk, transaction })
}

/** All entries of a topic, once so many are to be read. */
export async function readAll(
  { ledger }: LedgerWorld,
  topicId: string,
  count: number,
): Promise<readonly LedgerEntry[]> {
  return vi.waitFor(async () => {
    const entries = await ledger.readAfter({ topicId, after: 0, limit: 100 })
    expect(entries.length).toBeGreaterThanOrEqual(count)
    return entries
  }, SOON)
}

export function expectChain(topicId: string, entries: readonly LedgerEntry[]): void {
  expect(walkChain(topicId, CHAIN_START, entries).bad).toBeNull()
  expect(walkChain(topicId, CHAIN_START, entries).mark.sequence).toBe(entries.length)
}

async function refused(attempt: Promise<unknown>, codes: readonly string[]): Promise<void> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(codes).toContain((error as { readonly code?: string } | undefined)?.code)
}
