import { ProtocolError } from './bytes.ts'

/** More than any message of ours: a transaction has 6 KiB, an answer not much more. */
export const MESSAGE_BYTES = 1024 * 1024
const HEAD_BYTES = 5

/** How gRPC tells how a call went. */
export const GRPC = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  RESOURCE_EXHAUSTED: 8,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
} as const

/** A call that has not gone well. */
export class GrpcError extends Error {
  override name = 'GrpcError'
  readonly status: number
  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

/** A message as it lies in the stream: whether it is compressed, how long it is, and itself. */
export function frame(message: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

export interface FrameReader {
  /** The messages that are whole with these bytes. Throws a ProtocolError, after which nothing more can be read. */
  push(chunk: Uint8Array): readonly Uint8Array[]
  /** True between two messages. */
  readonly isClean: boolean
}

export function createFrameReader(maxBytes = MESSAGE_BYTES): FrameReader {
  let room = Buffer.alloc(0)
  let filled = 0

  /** Twice the room whenever it is too little: whoever sends byte by byte has not everything copied with each. */
  function keep(chunk: Uint8Array): void {
    if (filled + chunk.length > room.length) {
      const larger = Buffer.alloc(Math.max(filled + chunk.length, 2 * room.length))
      room.copy(larger, 0, 0, filled)
      room = larger
    }
    room.set(chunk, filled)
    filled += chunk.length
  }

  function take(at: number): Uint8Array | undefined {
    if (filled - at < HEAD_BYTES) return undefined
    if (room[at] !== 0) throw new ProtocolError('a message is compressed, which was not agreed on')
    const length = room.readUInt32BE(at + 1)
    if (length > maxBytes) throw new ProtocolError(`a message has ${length} bytes; ${maxBytes} are allowed`)
    const start = at + HEAD_BYTES
    return filled - start < length ? undefined : new Uint8Array(room.subarray(start, start + length))
  }

  return {
    push(chunk) {
      keep(chunk)
      const messages: Uint8Array[] = []
      let at = 0
      for (let message = take(at); message; message = take(at)) {
        messages.push(message)
        at += HEAD_BYTES + message.length
      }
      room.copyWithin(0, at, filled)
      filled -= at
      return messages
    },
    get isClean() {
      return filled === 0
    },
  }
}
