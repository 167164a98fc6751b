import { describe, expect, it } from 'vitest'
import { Key } from './basics.ts'
import { createReader, createWriter, ProtocolError } from './bytes.ts'
import { bool, bytes, int32, int64, many, message, one, text, uint64 } from './message.ts'
import { ChunkInfo, SubmitMessageBody, TransactionBody } from './transactions.ts'

const Inner = message({ name: text(1) })
const All = message({
  count: int64(1),
  small: int32(2),
  amount: uint64(3),
  isTrue: bool(4),
  name: text(5),
  data: bytes(6),
  inner: one(7, Inner),
  list: many(8, Inner),
})

const hex = (value: Uint8Array) => Buffer.from(value).toString('hex')
const unhex = (value: string) => new Uint8Array(Buffer.from(value, 'hex'))

describe('a message', () => {
  it('comes back as it was written', () => {
    const value = {
      count: -5,
      small: -1,
      amount: 2n ** 64n - 1n,
      isTrue: true,
      name: 'Grüße 🚪',
      data: Uint8Array.of(0, 255),
      inner: { name: 'x' },
      list: [{ name: 'a' }, { name: '' }],
    }
    expect(All.decode(All.encode(value))).toEqual(value)
  })

  it('writes no zero, and reads one where nothing is written', () => {
    expect(
      All.encode({ count: 0, name: '', data: new Uint8Array(), isTrue: false, amount: 0n, list: [] }),
    ).toHaveLength(0)
    expect(All.decode(new Uint8Array())).toMatchObject({ count: 0, name: '', inner: undefined, list: [], amount: 0n })
  })

  it('tells an empty message from none', () => {
    expect(hex(All.encode({ inner: {} }))).toBe('3a00')
    expect(All.decode(unhex('3a00')).inner).toEqual({ name: '' })
  })

  it('passes over fields that it does not know, of every kind', () => {
    const unknown = `f80601f906${'00'.repeat(8)}fa0602fffffd06${'00'.repeat(4)}`
    expect(All.decode(unhex(`${unknown}0805`)).count).toBe(5)
  })

  it('is written as @hiero-ledger/proto 2.31.0 writes it', () => {
    const id = { validStart: { seconds: 1_713_898_880, nanos: 739_044_003 }, account: { number: 2 } }
    const chunk = { initialTransaction: id, total: 3, number: 2 }
    const body = {
      id,
      node: { number: 3 },
      maxFee: 123_456_789_012n,
      validDuration: { seconds: 120 },
      memo: 'm',
      submitMessage: { topic: { number: 5 }, message: Buffer.from('hello'), chunk },
    }
    expect(hex(TransactionBody.encode(body))).toBe(
      '0a120a0c08808ba0b10610a3d5b3e00212021802120218031894b4e4f4cb032202087832016dda0125' +
        '0a021805120568656c6c6f1a180a120a0c08808ba0b10610a3d5b3e0021202180210031802',
    )
  })

  it('counts exactly, or not at all', () => {
    const largest = All.encode({ count: Number.MAX_SAFE_INTEGER })
    expect(All.decode(largest).count).toBe(Number.MAX_SAFE_INTEGER)
    expect(() => All.decode(unhex('08ffffffffffffffff7f'))).toThrow(ProtocolError)
  })

  it('holds keys in lists in thresholds', () => {
    const one = Key.decode(Key.encode({ ed25519: new Uint8Array(32).fill(1) }))
    const other = Key.decode(Key.encode({ secp256k1: new Uint8Array(33).fill(2) }))
    const list = Key.decode(Key.encode({ keyList: { keys: [one, other] } }))
    const key = Key.decode(Key.encode({ thresholdKey: { threshold: 1, keys: { keys: [list, one] } } }))
    expect(key.thresholdKey?.keys?.keys[0]?.keyList?.keys[1]?.secp256k1).toEqual(new Uint8Array(33).fill(2))
  })

  it('carries a chunk of a message', () => {
    const chunk = { initialTransaction: { account: { number: 7 } }, total: 3, number: 2 }
    const body = { memo: 'hcs-10:op:6:3', submitMessage: { topic: { number: 1005 }, message: Buffer.from('x'), chunk } }
    const read = TransactionBody.decode(TransactionBody.encode(body))
    expect(read.memo).toBe('hcs-10:op:6:3')
    expect(read.submitMessage?.chunk).toMatchObject({ total: 3, number: 2 })
    expect(read.createTopic).toBeUndefined()
  })
})

describe('what somebody sends to do harm', () => {
  it.each([
    ['a message that ends within a number', '08ff'],
    ['a message that ends within a field', '2a05abcd'],
    ['a field that is longer than everything', '2affffffffffffffff7f00'],
    ['a number of eleven bytes', '08ffffffffffffffffffff01'],
    ['a number of more than 64 bits', '08ffffffffffffffffff7f'],
    ['a field with the number 0', '0001'],
    ['a group', '0b0c'],
    ['a way of writing that does not exist', '0f'],
    ['a number where a text belongs', '2805'],
    ['a text that is not UTF-8', '2a02c328'],
    ['a field that ends behind the message', '3a0a0a01'],
  ])('is refused: %s', (_, sent) => {
    expect(() => All.decode(unhex(sent))).toThrow(ProtocolError)
  })

  it('is refused where it is nested without end', () => {
    let nested: Uint8Array = new Uint8Array()
    for (let depth = 0; depth < 100; depth++) {
      const writer = createWriter()
      writer.tag(depth % 2 === 0 ? 1 : 6, 2)
      writer.bytes(nested)
      nested = writer.finish()
    }
    expect(() => Key.decode(nested)).toThrow(/nested/)
  })

  it('is refused or understood, but never anything else, whatever the bytes are', () => {
    const good = SubmitMessageBody.encode({
      topic: { number: 1005 },
      message: Buffer.from('hello'),
      chunk: ChunkInfo.decode(ChunkInfo.encode({ total: 2, number: 1 })),
    })
    for (let at = 0; at < good.length; at++) {
      for (const value of [0, 1, 127, 128, 255]) {
        const broken = Uint8Array.from(good)
        broken[at] = value
        expect(outcomeOf(broken)).toMatch(/^(?:read|refused)$/)
        expect(outcomeOf(good.subarray(0, at))).toMatch(/^(?:read|refused)$/)
      }
    }
  })
})

function outcomeOf(sent: Uint8Array): string {
  try {
    SubmitMessageBody.decode(sent)
    return 'read'
  } catch (error) {
    return error instanceof ProtocolError ? 'refused' : String(error)
  }
}

describe('numbers on the wire', () => {
  it.each([0n, 1n, 127n, 128n, 300n, 2n ** 32n, 2n ** 63n, 2n ** 64n - 1n])('come back: %s', (value) => {
    const writer = createWriter()
    writer.varint(value)
    const reader = createReader(writer.finish())
    expect(reader.varint()).toBe(value)
    expect(reader.isAtEnd).toBe(true)
  })
})
