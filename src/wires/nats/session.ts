import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Note } from './link.ts'
import { createPublisher, type Publisher, type PublisherOptions } from './publish.ts'
import { ensureStream, type StreamSeen } from './stream.ts'

/** One connection from its beginning to its end, and what is known of the stream over it. */
export interface Session {
  readonly connection: NatsConnection
  readonly manager: JetStreamManager
  readonly publisher: Publisher
  isLive(): boolean
  /** As it was last seen over this connection. */
  stream(): StreamSeen | undefined
  /** Looks for the stream, and makes it where it is gone. Several who ask at once share the answer. */
  ensureStream(): Promise<StreamSeen>
}

export interface SessionOptions extends PublisherOptions {
  readonly note: Note
  readonly onSeen: (stream: StreamSeen) => void
}

export async function openSession(
  connection: NatsConnection,
  { note, onSeen, ...publishing }: SessionOptions,
): Promise<Session> {
  const manager = await jetstreamManager(connection, { checkAPI: false })
  let stream: StreamSeen | undefined
  let asking: Promise<StreamSeen> | undefined

  async function ask(): Promise<StreamSeen> {
    stream = await ensureStream(manager, note)
    onSeen(stream)
    return stream
  }

  return {
    connection,
    manager,
    publisher: createPublisher(connection, publishing),
    isLive: () => !connection.isClosed(),
    stream: () => stream,
    ensureStream() {
      asking ??= ask().finally(() => {
        asking = undefined
      })
      return asking
    },
  }
}
