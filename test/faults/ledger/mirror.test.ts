import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLedgerCodec } from '../../../src/ledger/codec/create-codec.ts'
import type { LedgerCodec } from '../../../src/ledger/codec.ts'
import { PosternError } from '../../../src/model/errors.ts'
import type { LedgerEntry } from '../../../src/model/ledger/entry.ts'
import { createDeployment } from '../../helpers/ledger/deployment.ts'
import { makeFastFolder, removeFolder } from '../../helpers/temp.ts'
import { campaign } from '../../helpers/tier.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { createChance } from '../wires/harness/chance.ts'
import { copyOf, openFaultWorld, prepare } from './world.ts'

const WORDS = Array.from({ length: 40 }, (_, at) => `word ${at}`)
const SEEDS = { quick: 6, full: 24, long: 20_000, most: 500 }

let base = ''
let prepared = ''
let tries = 0
beforeAll(async () => {
  base = makeFastFolder()
  prepared = join(base, 'prepared')
  await prepare(prepared)
})
afterAll(() => removeFolder(base))

interface Hearing {
  readonly seed: number
  readonly codec?: LedgerCodec
  /** True: the mirror also lies about what was written. */
  readonly isLiar?: boolean
}

/** An outsider writes words; a mirror does what mirrors do; two listeners look until it has come to its senses. */
async function heardThrough({ seed, codec, isLiar = false }: Hearing): Promise<string[]> {
  const folder = copyOf(prepared, join(base, `try-${++tries}`))
  const world = await openFaultWorld(folder)
  const { elsewhere, store } = world
  try {
    const options = codec ? { codec } : {}
    const listeners = [
      createDeployment(store, elsewhere.ledger, options),
      createDeployment(store, elsewhere.ledger, options),
    ]
    const [us] = listeners
    const { inboundTopicId } = (await us?.identity('mindy')) ?? expect.fail('mindy has no topic')
    const outsider = await elsewhere.outsider()
    const random = createChance(seed)
    let isSound = false
    elsewhere.faults.before = (call) => {
      if (!isSound && call === 'readAfter' && random() < 0.2) {
        throw new PosternError('LEDGER_UNREACHABLE', { network: 'testnet', reason: 'the mirror answers with 429' })
      }
    }
    elsewhere.faults.shown = (entries) => (isSound ? entries : faulty(entries, random, isLiar))
    for (const data of WORDS) {
      await outsider.say(inboundTopicId, { op: 'message', operator_id: outsider.operatorId, data })
      if (random() < 0.3) await Promise.allSettled(listeners.map((listener) => listener.listen()))
    }
    isSound = true
    for (const listener of listeners) await listener.listen()
    const { items } = (await us?.postern.inbox.list({ agent: 'mindy', limit: 200 })) ?? { items: [] }
    return items.map(({ content }) => content)
  } finally {
    await world.close()
    removeFolder(folder)
  }
}

function faulty(entries: readonly LedgerEntry[], random: () => number, isLiar: boolean): readonly LedgerEntry[] {
  const lag = random() < 0.3 ? Math.floor(random() * entries.length) : entries.length
  const left = entries.slice(0, lag).filter(() => random() > 0.1)
  const twice = left.flatMap((entry) => (random() < 0.2 ? [entry, entry] : [entry]))
  const shuffled = random() < 0.5 ? twice : twice.toSorted(() => random() - 0.5)
  if (!isLiar || random() > 0.3) return shuffled
  return shuffled.map((entry) => (random() < 0.5 ? { ...entry, message: LIE } : entry))
}

const LIE = Buffer.from('{"p":"hcs-10","op":"message","operator_id":"0.0.1@0.0.1","data":"a lie"}').toString('base64')

let seed = 0

/** Every one of them has another seed. */
async function expectHeard(hearing: Omit<Hearing, 'seed'>): Promise<void> {
  seed++
  expect(await heardThrough({ ...hearing, seed }), `seed ${seed}`).toEqual(WORDS)
}

describe('a listener at a mirror that lags, refuses, repeats, swaps and leaves out', () => {
  campaign('two listeners take every entry once and in order from a faulty mirror', SEEDS, async (seeds) => {
    verifies('S003.mirror')
    for (let left = seeds; left > 0; left--) await expectHeard({ isLiar: false })
  })

  campaign('two listeners take nothing that a mirror has altered, and go on with the truth', SEEDS, async (seeds) => {
    verifies('S003.mirror')
    for (let left = seeds; left > 0; left--) await expectHeard({ isLiar: true })
  })

  it('would be caught if it did not check the running hash', async () => {
    const trusting: LedgerCodec = {
      ...createLedgerCodec(),
      runningHash: (_, entry) => (entry as LedgerEntry).runningHash,
    }
    let isCaught = false
    for (let seed = 1; seed <= 5 && !isCaught; seed++) {
      const words = await heardThrough({ seed, isLiar: true, codec: trusting })
      isCaught = JSON.stringify(words) !== JSON.stringify(WORDS)
    }
    expect(isCaught).toBe(true)
  })
})
