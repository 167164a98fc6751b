import { describe, expect, it } from 'vitest'
import type { Ledger } from '../../../ledger/ledger.ts'
import { PosternError } from '../../../model/errors.ts'
import type { LedgerEntry } from '../../../model/ledger/entry.ts'
import { formatHcs10 } from '../../../model/ledger/hcs10.ts'
import type { Context, Ledgers } from '../../context.ts'
import { lookOutside } from './outside.ts'

const INBOUND = '0.0.1002'
const OURS = '0.0.1003@0.0.7'
const THEIRS = '0.0.5005@0.0.9'
const PRETENDED = '0.0.1003@0.0.9'
const NOW_MS = 2_000_000_000_000

/** One entry of that age on the topic, and a mirror that tells of no other topic; where it is away of that one neither. */
async function look(operatorId: string, ageMs: number, isAway = false) {
  const text = formatHcs10({ op: 'message', operator_id: operatorId, data: 'hcs://1/0.0.13' })
  const entry: LedgerEntry = {
    topicId: INBOUND,
    sequence: 1,
    consensusAt: `${(NOW_MS - ageMs) / 1000}.000000001`,
    payer: operatorId.split('@')[1] ?? '',
    message: Buffer.from(text).toString('base64'),
    chunk: null,
    runningHash: '',
  }
  const topic: Ledger['topic'] = async (id) => {
    if (id !== INBOUND || isAway) throw new PosternError('LEDGER_UNREACHABLE', { network: 'testnet', reason: 'no' })
    return { id, memo: '', adminKey: null, submitKey: null, isDeleted: false }
  }
  const ledger = { network: 'testnet', topic }
  const read = { ledger: { identities: async () => [{ inboundTopicId: '0.0.1003', account: '0.0.7' }] } }
  const ctx = { store: { read, now: () => NOW_MS } } as unknown as Context
  return lookOutside(ctx, { ledger } as unknown as Ledgers, [entry])
}

const AWAY = { code: 'LEDGER_UNREACHABLE' }

describe('what an entry names', () => {
  it.each([
    THEIRS,
    PRETENDED,
  ])('holds nothing up where the outsider %s has named what the mirror cannot tell of', async (operatorId) => {
    const { outside, entries } = await look(operatorId, 61_000)
    expect(entries).toHaveLength(1)
    expect([outside.topics.size, outside.files.size]).toEqual([0, 0])
  })

  it('is waited for while it is young, or the mirror is away, or it is one of ours who has written it', async () => {
    await expect(look(THEIRS, 59_000)).rejects.toMatchObject(AWAY)
    await expect(look(THEIRS, 61_000, true)).rejects.toMatchObject(AWAY)
    await expect(look(OURS, 86_400_000)).rejects.toMatchObject(AWAY)
  })
})
