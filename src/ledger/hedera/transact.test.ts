import { generateKeyPairSync, verify } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { startScriptedMirror } from '../../../test/helpers/ledger/scripted-mirror.ts'
import { type NodeScript, type ScriptedNode, startScriptedNode } from '../../../test/helpers/ledger/scripted-node.ts'
import { DEAD_MACHINE_MS } from '../../../test/helpers/patience.ts'
import type { Ledger } from '../ledger.ts'
import { openHederaLedger } from './hedera-ledger.ts'
import type { HederaTimes } from './options.ts'

const KEY = '302e020100300506032b657004220420'.padEnd(96, '07')
const closing: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

interface StartOptions {
  /** What the mirror says of every transaction. */
  readonly outcome?: unknown
  readonly times?: HederaTimes
}

interface World {
  readonly ledger: Ledger
  readonly nodes: readonly ScriptedNode[]
}

const PATIENT = { callMs: DEAD_MACHINE_MS, patienceMs: DEAD_MACHINE_MS, minWaitMs: 1, maxWaitMs: 5 }
const IMPATIENT = { ...PATIENT, callMs: 300, patienceMs: 600 }

async function start(scripts: readonly NodeScript[], { outcome, times = PATIENT }: StartOptions = {}): Promise<World> {
  const nodes = await Promise.all(scripts.map(startScriptedNode))
  const mirror = await startScriptedMirror((path) =>
    outcome !== undefined && path.startsWith('/api/v1/transactions/')
      ? { status: 200, body: outcome }
      : { status: 404 },
  )
  const ledger = openHederaLedger({
    network: 'test',
    isPublic: false,
    operator: '0.0.2',
    keys: { '0.0.2': () => KEY },
    nodes: Object.fromEntries(nodes.map(({ address }, index) => [address, `0.0.${3 + index}`])),
    mirror: mirror.url,
    mirrorGrpc: null,
    times,
    random: () => 0,
  })
  closing.push(...nodes.map(({ close }) => close), mirror.close, () => ledger.close())
  return { ledger, nodes }
}

function submit(ledger: Ledger, message = Buffer.from('hello')) {
  const transaction = '0.0.2@1713898880.739044000'
  return ledger.submit({ topicId: '0.0.1005', message, payer: '0.0.2', memo: 'm', mayChunk: true, transaction })
}

describe('a transaction', () => {
  it('is signed, taken and has a receipt', async () => {
    const { ledger, nodes } = await start([{ prechecks: ['OK'], receipts: ['UNKNOWN', 'UNKNOWN', 'SUCCESS'] }])
    await expect(submit(ledger)).resolves.toEqual({ sequence: 7, runningHash: '01'.repeat(48) })
    expect(nodes[0]?.shown).toMatchObject([{ memo: 'm', node: { number: 3 }, validDuration: { seconds: 120 } }])
    expect(nodes[0]?.asked).toEqual(Array.from({ length: 3 }, () => '0.0.2@1713898880.739044000'))
  })

  it('pays no more than its limit, and nothing to whoever has the topic', async () => {
    const { ledger, nodes } = await start([{ prechecks: ['OK'] }])
    await submit(ledger)
    const nothing = { account: { number: 2 }, fees: [{ amount: 0n }] }
    expect(nodes[0]?.shown).toMatchObject([{ maxFee: 200_000_000n, customFeeLimits: [nothing] }])
  })

  it.each([
    'BUSY',
    'UNKNOWN',
    'PLATFORM_TRANSACTION_NOT_CREATED',
    'INVALID_NODE_ACCOUNT',
    'silence',
  ] as const)('goes to another node where one says %s, under the same name', async (word) => {
    const { ledger, nodes } = await start([{ prechecks: ['OK'] }, { prechecks: [word] }], {
      times: { ...PATIENT, callMs: 500 },
    })
    await expect(submit(ledger)).resolves.toMatchObject({ sequence: 7 })
    await expect(submit(ledger)).resolves.toMatchObject({ sequence: 7 })
    const [taken, refused] = nodes.map(({ shown }) => shown)
    expect(refused?.length).toBeGreaterThan(0)
    expect(taken?.[0]?.id).toEqual(refused?.[0]?.id)
    expect(taken?.[0]?.node).not.toEqual(refused?.[0]?.node)
  })

  it('that was sent before gives the same receipt', async () => {
    const { ledger } = await start([{ prechecks: ['DUPLICATE_TRANSACTION'] }])
    await expect(submit(ledger)).resolves.toMatchObject({ sequence: 7 })
  })

  it('that a node refuses is refused at once', async () => {
    const { ledger, nodes } = await start([{ prechecks: ['INSUFFICIENT_PAYER_BALANCE'] }])
    await expect(submit(ledger)).rejects.toMatchObject({
      code: 'LEDGER_REFUSED',
      details: { status: 'INSUFFICIENT_PAYER_BALANCE' },
    })
    expect(nodes[0]?.shown).toHaveLength(1)
  })

  it('that the network refuses is refused', async () => {
    const { ledger } = await start([{ prechecks: ['OK'], receipts: ['UNKNOWN', 'INVALID_SIGNATURE'] }])
    await expect(submit(ledger)).rejects.toMatchObject({
      code: 'LEDGER_REFUSED',
      details: { status: 'INVALID_SIGNATURE' },
    })
  })

  it('is not called refused where another node may have taken it', async () => {
    const scripts: NodeScript[] = [{ prechecks: ['INSUFFICIENT_PAYER_BALANCE'] }, { prechecks: ['silence'] }]
    const { ledger } = await start(scripts, { times: IMPATIENT })
    await expect(submit(ledger)).rejects.toMatchObject({ code: 'LEDGER_UNREACHABLE' })
  })

  it('that no node takes is unreachable', async () => {
    const { ledger, nodes } = await start([{ prechecks: ['BUSY'] }], { times: { ...PATIENT, patienceMs: 300 } })
    await expect(submit(ledger)).rejects.toMatchObject({ code: 'LEDGER_UNREACHABLE', details: { reason: 'BUSY' } })
    expect(nodes[0]?.shown.length).toBeGreaterThan(2)
  })

  it('that has no receipt in time is unreachable', async () => {
    const { ledger } = await start([{ prechecks: ['OK'], receipts: ['UNKNOWN'] }], {
      times: { ...PATIENT, patienceMs: 300 },
    })
    await expect(submit(ledger)).rejects.toMatchObject({ code: 'LEDGER_UNREACHABLE' })
  })

  it('that is too old is what the mirror says', async () => {
    const found = { result: 'SUCCESS', name: 'CONSENSUSUPDATEACCOUNT', consensus_timestamp: '1713898881.000000001' }
    const done = await start([{ prechecks: ['TRANSACTION_EXPIRED'], receipts: ['RECEIPT_NOT_FOUND'] }], {
      outcome: { transactions: [found] },
    })
    await expect(submit(done.ledger)).resolves.toMatchObject({ runningHash: null })
    const failed = await start([{ prechecks: ['TRANSACTION_EXPIRED'], receipts: ['RECEIPT_NOT_FOUND'] }], {
      outcome: { transactions: [{ ...found, result: 'INVALID_SIGNATURE' }] },
    })
    await expect(submit(failed.ledger)).rejects.toMatchObject({ code: 'LEDGER_REFUSED' })
    const unknown = await start([{ prechecks: ['TRANSACTION_EXPIRED'], receipts: ['RECEIPT_NOT_FOUND'] }])
    await expect(submit(unknown.ledger)).rejects.toMatchObject({ code: 'LEDGER_UNREACHABLE' })
  })

  it('ends where the ledger is closed', async () => {
    const { ledger } = await start([{ prechecks: ['silence'] }])
    const waiting = submit(ledger)
    await ledger.close()
    await expect(waiting).rejects.toMatchObject({ code: 'LEDGER_UNREACHABLE' })
  })
})

describe('a long message', () => {
  it('goes in chunks, each with a name of its own a nanosecond later', async () => {
    const { ledger, nodes } = await start([{ prechecks: ['OK'] }])
    await submit(ledger, Buffer.alloc(2_500, 'x'))
    const shown = nodes[0]?.shown ?? []
    expect(shown.map(({ id }) => id?.validStart?.nanos)).toEqual([739_044_000, 739_044_001, 739_044_002])
    expect(shown.map(({ submitMessage }) => submitMessage?.message.length)).toEqual([1024, 1024, 452])
    expect(shown.map(({ submitMessage }) => submitMessage?.chunk?.number)).toEqual([1, 2, 3])
    expect(
      new Set(shown.map(({ submitMessage }) => submitMessage?.chunk?.initialTransaction?.validStart?.nanos)),
    ).toEqual(new Set([739_044_000]))
  })

  it('is refused where it is longer than all chunks', async () => {
    const { ledger, nodes } = await start([{ prechecks: ['OK'] }])
    await expect(submit(ledger, Buffer.alloc(20 * 1024 + 1))).rejects.toMatchObject({
      code: 'LEDGER_MESSAGE_TOO_LARGE',
    })
    expect(nodes[0]?.shown).toHaveLength(0)
  })
})

describe('what became of a transaction', () => {
  it('is known of all its chunks, or not', async () => {
    const { ledger } = await start([{ prechecks: ['OK'], receipts: ['SUCCESS', 'RECEIPT_NOT_FOUND'] }])
    await expect(ledger.outcome('0.0.2@5.000000000', 2)).resolves.toEqual({ state: 'unknown' })
  })

  it('is not said to be unknown by a mirror that is behind', async () => {
    const node = await startScriptedNode({ prechecks: ['OK'], receipts: ['RECEIPT_NOT_FOUND'] })
    const block = { blocks: [{ timestamp: { to: '1713898900.000000000' } }] }
    const mirror = await startScriptedMirror((path) =>
      path.startsWith('/api/v1/blocks') ? { status: 200, body: block } : { status: 404 },
    )
    const ledger = openHederaLedger({
      network: 'test',
      isPublic: false,
      operator: '0.0.2',
      keys: {},
      nodes: { [node.address]: '0.0.3' },
      mirror: mirror.url,
      mirrorGrpc: null,
    })
    closing.push(node.close, mirror.close, () => ledger.close())
    await expect(ledger.outcome('0.0.2@1713898880.000000000')).rejects.toMatchObject({ code: 'LEDGER_UNREACHABLE' })
    await expect(ledger.outcome('0.0.2@1713898700.000000000')).resolves.toEqual({ state: 'unknown' })
  })
})

describe('a signature', () => {
  it('is of the very bytes that are sent', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const { createSigner } = await import('./signers.ts')
    const signer = await createSigner(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString())
    const bytes = Buffer.from('body')
    expect(verify(null, bytes, publicKey, signer.sign(bytes).ed25519 ?? Buffer.alloc(0))).toBe(true)
  })
})
