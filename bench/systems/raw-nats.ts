import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { openRawSqlite } from './raw-sqlite.ts'
import type { Body, System } from './system.ts'

const STREAM = 'RAW'
const SUBJECT = 'raw.agent-0'

/** One commit by hand, then one publication to a stream, taken by a durable consumer that acknowledges it. */
export async function openRawNats(place: string): Promise<System> {
  const [folder = '', url = ''] = place.split('#')
  const connection = await connect({ servers: url })
  const manager = await jetstreamManager(connection)
  await manager.streams.add({ name: STREAM, subjects: ['raw.>'] })
  const raw = await openRawSqlite(folder)
  const publisher = jetstream(connection)
  return {
    ...raw,
    async push(body) {
      raw.push(body)
      await publisher.publish(SUBJECT, body)
    },
    listen: (onBody) => listenTo(connection, onBody),
    async close() {
      raw.close()
      await connection.close()
    },
  }
}

async function listenTo(connection: NatsConnection, onBody: (body: Body) => void): Promise<void> {
  const manager = await jetstreamManager(connection)
  const durable = { durable_name: 'agent-0', ack_policy: AckPolicy.Explicit, deliver_policy: DeliverPolicy.New }
  await manager.consumers.add(STREAM, { ...durable, filter_subject: SUBJECT })
  const consumer = await jetstream(connection).consumers.get(STREAM, 'agent-0')
  await consumer.consume({
    callback(message) {
      onBody(message.json<Body>())
      message.ack()
    },
  })
}
