import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { onTestFinished } from 'vitest'
import type { Message } from '../../../src/model/message.ts'
import { formatSpoolCopy } from '../../../src/spool/message-copy.ts'
import { createNatsWire, type NatsWireOptions } from '../../../src/wires/nats/nats-wire.ts'
import type { Copy, EngineWire } from '../../../src/wires/wire.ts'
import { itemFor } from '../../helpers/postgres-store.ts'
import { createSignal, type Signal } from '../../helpers/signal.ts'
import { type NatsServer, startNats } from '../../helpers/wires/nats.ts'
import { type NetworkProxy, openProxy } from '../../helpers/wires/proxy.ts'

/** A NATS server, a network before it, and a plain client that knows nothing of us. */
export interface CopyWorld {
  readonly server: NatsServer
  readonly proxy: NetworkProxy
  readonly notes: Signal<string>
  /** How wires reach it. */
  readonly url: string
  open(options?: Pick<NatsWireOptions, 'silenceMs'>): Taking
  connect(): Promise<NatsConnection>
  manager(): Promise<JetStreamManager>
}

export type Taking = EngineWire & Required<Pick<EngineWire, 'take' | 'onWiped'>>

export async function openWorld(): Promise<CopyWorld> {
  const server = (await startNats()) as NatsServer
  onTestFinished(() => server.stop())
  const proxy = await openProxy(server.port)
  onTestFinished(() => proxy.close())
  const url = `nats://127.0.0.1:${proxy.port}`
  const notes = createSignal<string>()
  const plain = async () => {
    const connection = await connect({ servers: `127.0.0.1:${server.port}`, reconnect: false })
    onTestFinished(() => connection.close())
    return connection
  }
  return {
    server,
    proxy,
    notes,
    url,
    open(options = {}) {
      const note = (event: string) => notes.fire(event)
      const wire = createNatsWire({ url, format: formatSpoolCopy, random: () => 0, note, ...options })
      onTestFinished(() => wire.close())
      return wire as Taking
    },
    connect: plain,
    manager: async () => jetstreamManager(await plain()),
  }
}

let count = 0

export function message(content = 'Look.', id = `msg_${String(++count).padStart(6, '0')}`): Message {
  const from = { id: 'riley', kind: 'ai', verified: true, via: 'test' } as const
  return itemFor(['quinn'], { id, threadId: id, type: 'message', from, content, createdAt: 1_800_000_000_000 }).message
}

export function copyTo(agent: string | null, content?: string): Copy {
  return { message: message(content), agent }
}

export function copiesTo(agent: string | null, number: number): Copy[] {
  return Array.from({ length: number }, () => copyTo(agent))
}

export function idsOf(copies: readonly Copy[]): string[] {
  return copies.map(({ message: { id } }) => id)
}

export function idOf(line: string): string {
  return (JSON.parse(line) as { id: string }).id
}

/** Takes whatever comes and remembers the ids in their order. */
export function collect(): Signal<string> & { readonly onCopy: (line: string) => Promise<void> } {
  const ids = createSignal<string>()
  return { ...ids, onCopy: async (line) => ids.fire(idOf(line)) }
}

/** What the stream has, in its order. */
export async function keptIn(manager: JetStreamManager, subject = 'inbox.>'): Promise<string[]> {
  const { state } = await manager.streams.info('INBOX_EVENTS')
  const kept: string[] = []
  if (state.messages === 0) return kept
  const consumer = await manager.jetstream().consumers.get('INBOX_EVENTS', { filter_subjects: subject })
  const { num_pending: pending } = await consumer.info()
  if (pending === 0) return kept
  for await (const found of await consumer.consume()) {
    kept.push(idOf(found.string()))
    if (found.info.pending === 0) break
  }
  return kept
}
