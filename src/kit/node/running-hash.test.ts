import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { framePartsOf, type HashedEntry, runningHash } from './running-hash.ts'

const GENESIS = '00'.repeat(48)

/** As public ledgers have recorded them: the first message of a topic each. */
const RECORDED: readonly (HashedEntry & { readonly hash: string })[] = [
  {
    topicId: '0.0.5671138',
    payer: '0.0.4368166',
    consensusAt: '1713898880.739044003',
    sequence: 1,
    message: 'eyJ0X2lkIjoiMC4wLjU2NzExNTUiLCJvcCI6InJlZ2lzdGVyIiwibSI6IlZlcnNpb24gMS4iLCJwIjoiaGNzLTYifQ==',
    hash: 'H9o6QzEEJDOxcdfIkT9Rw0zf+1VxLfyeod18r4faaObHbBy/qkxLgFVjWRB5JzAn',
  },
  {
    topicId: '0.0.1006',
    payer: '0.0.1002',
    consensusAt: '1756834060.133091847',
    sequence: 1,
    message: 'SGVsbG8sIEhlZGVyYSE=',
    hash: '1kAO3dRmyRRtusmJJDZf3078ac3XjOwjoHTBOWa0cYGedp4RQE068VE8FUU6RwTA',
  },
]

const ENTRY: HashedEntry = {
  topicId: '1.2.9007199254740991',
  payer: '3.4294967297.5',
  consensusAt: '1794858598.000001000',
  sequence: 4_294_967_297,
  message: 'aGk=',
}

describe('the running hash', () => {
  it.each(RECORDED)('is the recorded one of the first message of $topicId', ({ hash, ...entry }) => {
    expect(runningHash(GENESIS, entry)).toBe(Buffer.from(hash, 'base64').toString('hex'))
  })

  it('has numbers of 64 bits, each in its place', () => {
    const { head, middle, tail } = framePartsOf(ENTRY)
    const place = Buffer.alloc(20)
    place.writeBigInt64BE(1_794_858_598n, 0)
    place.writeInt32BE(1_000, 8)
    place.writeBigInt64BE(4_294_967_297n, 12)
    const frame = Buffer.concat([Buffer.from(head + GENESIS + middle, 'hex'), place, Buffer.from(tail, 'hex')])
    expect(runningHash(GENESIS, ENTRY)).toBe(createHash('sha384').update(frame).digest('hex'))
    const ids = [3n, 4_294_967_297n, 5n, 1n, 2n, 9_007_199_254_740_991n].map((id) => id.toString(16).padStart(16, '0'))
    expect(middle.endsWith(ids.join(''))).toBe(true)
  })

  it('depends on all that it is made of', () => {
    const others = [
      runningHash('01'.repeat(48), ENTRY),
      runningHash(GENESIS, { ...ENTRY, topicId: '1.2.9007199254740990' }),
      runningHash(GENESIS, { ...ENTRY, payer: '3.4294967297.6' }),
      runningHash(GENESIS, { ...ENTRY, consensusAt: '1794858598.000002000' }),
      runningHash(GENESIS, { ...ENTRY, consensusAt: '1794858599.000001000' }),
      runningHash(GENESIS, { ...ENTRY, sequence: 4_294_967_298 }),
      runningHash(GENESIS, { ...ENTRY, message: 'aGo=' }),
    ]
    expect(new Set([runningHash(GENESIS, ENTRY), ...others]).size).toBe(8)
  })

  it('is the same for a message of any length as for its bytes', () => {
    const message = Buffer.alloc(20_000, 'x').toString('base64')
    const { tail } = framePartsOf({ ...ENTRY, message })
    expect(tail.slice(20)).toBe(createHash('sha384').update(Buffer.alloc(20_000, 'x')).digest('hex'))
  })
})
