import { createGrpcChannel, type GrpcChannel } from '../../../src/ledger/protocol/grpc-client.ts'
import { GRPC, GrpcError } from '../../../src/ledger/protocol/grpc-frames.ts'
import { createGrpcServer, type GrpcServer, type StreamAnswer } from '../../../src/ledger/protocol/grpc-server.ts'
import type { MessageType } from '../../../src/ledger/protocol/message.ts'
import { TopicResponse } from '../../../src/ledger/protocol/mirror.ts'
import { MIRROR_CALLS } from '../../../src/ledger/protocol/services.ts'
import { type MirrorFaults, throughFaults } from './mirror-faults.ts'

/** As it came. */
export const RAW: MessageType<Uint8Array> = { encode: (bytes) => bytes, decode: (bytes) => bytes }

/** How often it is looked whether something held back may come now. */
const LOOK_MS = 10

export async function openRelay(server: GrpcServer, channel: GrpcChannel) {
  return {
    port: await server.listen(0, '127.0.0.1'),
    async close() {
      await server.close()
      channel.close()
    },
  }
}

/** Follows topics at a mirror, and passes on what the faults leave of them. */
export async function relayStreams(address: string, faults: MirrorFaults, asked: { streams: number }) {
  const channel = createGrpcChannel(address)
  const relay = (path: string) => async (request: Uint8Array, answer: StreamAnswer<Uint8Array>) => {
    asked.streams++
    await follow(channel, path, request, answer, faults)
  }
  const server = createGrpcServer({
    stream: Object.fromEntries(Object.values(MIRROR_CALLS).map((path) => [path, relay(path)])),
  })
  return openRelay(server, channel)
}

async function follow(
  channel: GrpcChannel,
  path: string,
  request: Uint8Array,
  { send, signal }: StreamAnswer<Uint8Array>,
  faults: MirrorFaults,
): Promise<void> {
  const came: Uint8Array[] = []
  let end: { readonly error: GrpcError | undefined } | undefined
  const upstream = channel.callServerStream({
    path,
    request: RAW,
    answer: RAW,
    message: request,
    onMessage: (bytes) => void came.push(bytes),
    onEnd: (error) => {
      end = { error }
    },
  })
  try {
    while (!signal.aborted) {
      for (const bytes of path === MIRROR_CALLS.subscribeTopic ? takeDue(came, faults) : came.splice(0)) {
        cutIfDue(faults)
        await send(altered(bytes, path, faults))
      }
      if (end && came.length === 0) {
        if (end.error) throw end.error
        return
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  } finally {
    upstream.close()
  }
}

/** What is held back stays until it may come. Only what comes together changes places. */
function takeDue(came: Uint8Array[], faults: MirrorFaults): Uint8Array[] {
  if (faults.isSilent) return []
  const held = came.findIndex((bytes) => faults.hideAfter !== null && sequenceOf(bytes) > faults.hideAfter)
  const due = held === -1 ? came.length : held
  return throughFaults(came.splice(0, due), faults, sequenceOf)
}

function sequenceOf(bytes: Uint8Array): number {
  return TopicResponse.decode(bytes).sequence
}

function altered(bytes: Uint8Array, path: string, { alter }: MirrorFaults): Uint8Array {
  if (!alter || path !== MIRROR_CALLS.subscribeTopic) return bytes
  const response = TopicResponse.decode(bytes)
  const message = alter(response.sequence, Buffer.from(response.message).toString('base64'))
  return TopicResponse.encode({ ...response, message: Buffer.from(message, 'base64') })
}

function cutIfDue(faults: MirrorFaults): void {
  if (faults.cutStreamAfter === null) return
  if (faults.cutStreamAfter > 0) {
    faults.cutStreamAfter--
    return
  }
  faults.cutStreamAfter = null
  throw new GrpcError(GRPC.UNAVAILABLE, 'the connection was cut')
}
