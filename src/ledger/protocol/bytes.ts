/** What came over the wire is not what the protocol says it is. */
export class ProtocolError extends Error {
  override name = 'ProtocolError'
}

/** How a value lies on the wire: what comes behind the number of its field. */
export const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const

const VARINT_BYTES = 10
const FIELD_BITS = 3n
const LAST_FIELD = 536_870_911

/** Reads one message of protocol buffers, which somebody unknown may have written. */
export interface ByteReader {
  readonly isAtEnd: boolean
  /** How many messages it lies within. */
  readonly depth: number
  /** The next field, or where it ends. */
  tag(): { readonly field: number; readonly wire: number }
  varint(): bigint
  /** A view, not a copy. */
  bytes(): Uint8Array
  skip(wire: number): void
}

export function createReader(source: Uint8Array, depth = 0): ByteReader {
  let at = 0

  function take(count: number): Uint8Array {
    if (count > source.length - at) throw new ProtocolError('the message ends too early')
    at += count
    return source.subarray(at - count, at)
  }

  function varint(): bigint {
    let value = 0n
    for (let count = 0; count < VARINT_BYTES; count++) {
      const byte = source[at++]
      if (byte === undefined) throw new ProtocolError('the message ends too early')
      value |= BigInt(byte & 0x7f) << BigInt(7 * count)
      if (byte < 0x80) {
        if (value > 0xffff_ffff_ffff_ffffn) break
        return value
      }
    }
    throw new ProtocolError('a number has more than 64 bits')
  }

  function bytes(): Uint8Array {
    const length = varint()
    if (length > BigInt(source.length - at)) throw new ProtocolError('a field is longer than the message')
    return take(Number(length))
  }

  return {
    get isAtEnd() {
      return at >= source.length
    },
    depth,
    tag() {
      const tag = varint()
      const field = Number(tag >> FIELD_BITS)
      if (field < 1 || field > LAST_FIELD) throw new ProtocolError('a field has no valid number')
      return { field, wire: Number(tag & 7n) }
    },
    varint,
    bytes,
    skip(wire) {
      if (wire === WIRE.varint) varint()
      else if (wire === WIRE.fixed64) take(8)
      else if (wire === WIRE.bytes) bytes()
      else if (wire === WIRE.fixed32) take(4)
      else throw new ProtocolError(`no field is written in the way ${wire}`)
    },
  }
}

export interface ByteWriter {
  tag(field: number, wire: number): void
  varint(value: bigint): void
  bytes(value: Uint8Array): void
  finish(): Uint8Array
}

export function createWriter(): ByteWriter {
  const parts: Uint8Array[] = []

  function varint(value: bigint): void {
    let rest = BigInt.asUintN(64, value)
    const written: number[] = []
    while (rest > 0x7fn) {
      written.push(Number(rest & 0x7fn) | 0x80)
      rest >>= 7n
    }
    written.push(Number(rest))
    parts.push(Uint8Array.from(written))
  }

  return {
    tag: (field, wire) => varint((BigInt(field) << FIELD_BITS) | BigInt(wire)),
    varint,
    bytes(value) {
      varint(BigInt(value.length))
      parts.push(value)
    },
    finish: () => new Uint8Array(Buffer.concat(parts)),
  }
}
