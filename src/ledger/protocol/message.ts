import { type ByteReader, type ByteWriter, createReader, createWriter, ProtocolError, WIRE } from './bytes.ts'

/**
 * A message of protocol buffers: what its fields are called here, their numbers and their kinds. What a message has
 * beyond them is passed over, so that newer writers are understood.
 */
export interface MessageType<Read, Written = Read> {
  encode(value: Written): Uint8Array
  /** Throws a ProtocolError. */
  decode(bytes: Uint8Array, depth?: number): Read
}

/** What is read where nothing was written is the kind's zero, or `undefined`, and a zero is not written. */
export interface Field<Read, Written = Read> {
  readonly number: number
  readonly empty: Read
  readonly wire: number
  write(writer: ByteWriter, number: number, value: Written): void
  /** `before` is what an earlier field of this number has given. */
  read(reader: ByteReader, before: Read): Read
}

type Fields = Readonly<Record<string, Field<never, never>>>
type ReadOf<F> = F extends Field<infer Read, infer _Written> ? Read : never
type WrittenOf<F> = F extends Field<infer _Read, infer Written> ? Written : never
export type ReadMessage<F> = { readonly [K in keyof F]: ReadOf<F[K]> }
export type WrittenMessage<F> = { readonly [K in keyof F]?: WrittenOf<F[K]> | undefined }

/** As it is read. */
export type Read<M> = M extends MessageType<infer Value, infer _Written> ? Value : never
/** As it is written: all may be left out. */
export type Written<M> = M extends MessageType<infer _Read, infer Value> ? Value : never

/** More levels than any message of ours has; a list of keys may lie in a list of keys. */
const DEEPEST = 32

export function message<const F extends object>(fields: F): MessageType<ReadMessage<F>, WrittenMessage<F>> {
  const named = Object.entries(fields as Fields) as [string, Field<unknown, unknown>][]
  const byNumber = new Map(named.map(([name, field]) => [field.number, { name, field }]))
  return {
    encode(value) {
      const writer = createWriter()
      for (const [name, field] of named) {
        const written = (value as Readonly<Record<string, unknown>>)[name]
        if (written !== undefined) field.write(writer, field.number, written)
      }
      return writer.finish()
    },
    decode(bytes, depth = 0) {
      if (depth > DEEPEST) throw new ProtocolError(`it is nested more than ${DEEPEST} deep`)
      const reader = createReader(bytes, depth)
      const read: Record<string, unknown> = Object.fromEntries(named.map(([name, field]) => [name, field.empty]))
      while (!reader.isAtEnd) {
        const tag = reader.tag()
        const known = byNumber.get(tag.field)
        if (!known) reader.skip(tag.wire)
        else if (known.field.wire !== tag.wire) throw new ProtocolError(`"${known.name}" is written in another way`)
        else read[known.name] = known.field.read(reader, read[known.name])
      }
      return read as ReadMessage<F>
    },
  }
}

function scalar<T>(
  number: number,
  empty: T,
  wire: number,
  put: (writer: ByteWriter, value: T) => void,
  take: (reader: ByteReader) => T,
  isEmpty: (value: T) => boolean,
): Field<T> {
  return {
    number,
    empty,
    wire,
    write(writer, field, value) {
      if (isEmpty(value)) return
      writer.tag(field, wire)
      put(writer, value)
    },
    read: take,
  }
}

function whole(number: number, narrow: (read: bigint) => number): Field<number> {
  return scalar(
    number,
    0,
    WIRE.varint,
    (writer, value) => writer.varint(BigInt(value)),
    (reader) => narrow(reader.varint()),
    (value) => value === 0,
  )
}

/** A whole number that JavaScript counts exactly. */
export function int64(number: number): Field<number> {
  return whole(number, (read) => exactly(BigInt.asIntN(64, read)))
}

export function int32(number: number): Field<number> {
  return whole(number, (read) => Number(BigInt.asIntN(32, read)))
}

/** Amounts of money, which may be larger than JavaScript counts. */
export function uint64(number: number): Field<bigint> {
  return scalar(
    number,
    0n,
    WIRE.varint,
    (writer, value) => writer.varint(value),
    (reader) => reader.varint(),
    (value) => value === 0n,
  )
}

export function bool(number: number): Field<boolean> {
  return scalar(
    number,
    false,
    WIRE.varint,
    (writer, value) => writer.varint(value ? 1n : 0n),
    (reader) => reader.varint() !== 0n,
    (value) => !value,
  )
}

export function text(number: number): Field<string> {
  return scalar(
    number,
    '',
    WIRE.bytes,
    (writer, value) => writer.bytes(Buffer.from(value, 'utf8')),
    (reader) => asText(reader.bytes()),
    (value) => value === '',
  )
}

const NO_BYTES: Uint8Array = new Uint8Array()

export function bytes(number: number): Field<Uint8Array> {
  return scalar(
    number,
    NO_BYTES,
    WIRE.bytes,
    (writer, value) => writer.bytes(value),
    (reader) => reader.bytes(),
    (value) => value.length === 0,
  )
}

/** One of several of which only one is there: even an empty one says which. */
export function choice(number: number): Field<Uint8Array | undefined> {
  return {
    number,
    empty: undefined,
    wire: WIRE.bytes,
    write(writer, field, value) {
      if (value === undefined) return
      writer.tag(field, WIRE.bytes)
      writer.bytes(value)
    },
    read: (reader) => reader.bytes(),
  }
}

/** Taken by a function where types name each other. */
type Of<Read, Written> = MessageType<Read, Written> | (() => MessageType<Read, Written>)

function typeOf<Read, Written>(of: Of<Read, Written>): MessageType<Read, Written> {
  return typeof of === 'function' ? of() : of
}

export function one<Read, Written>(
  number: number,
  of: Of<Read, Written>,
): Field<Read | undefined, Written | undefined> {
  return {
    number,
    empty: undefined,
    wire: WIRE.bytes,
    write(writer, field, value) {
      if (value === undefined) return
      writer.tag(field, WIRE.bytes)
      writer.bytes(typeOf(of).encode(value))
    },
    read: (reader) => typeOf(of).decode(reader.bytes(), reader.depth + 1),
  }
}

export function many<Read, Written>(number: number, of: Of<Read, Written>): Field<readonly Read[], readonly Written[]> {
  return {
    number,
    empty: [],
    wire: WIRE.bytes,
    write(writer, field, values) {
      for (const value of values) {
        writer.tag(field, WIRE.bytes)
        writer.bytes(typeOf(of).encode(value))
      }
    },
    read(reader, before) {
      // The list of this message alone grows: a copy for each element would take a stranger's long list for ever.
      const list = before.length === 0 ? [] : (before as Read[])
      list.push(typeOf(of).decode(reader.bytes(), reader.depth + 1))
      return list
    },
  }
}

function exactly(value: bigint): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw new ProtocolError('a number is too large')
  return number
}

function asText(value: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value)
  } catch (cause) {
    throw new ProtocolError('a text is not UTF-8', { cause })
  }
}
