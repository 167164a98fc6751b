import { importPeer } from '../peers.ts'
import type { Body, System } from './system.ts'

interface Job {
  readonly data: { readonly body: string }
}

interface Queue {
  add(name: string, data: Job['data'], options: object): Promise<unknown>
  addBulk(jobs: readonly { name: string; data: Job['data']; opts: object }[]): Promise<unknown>
  waitUntilReady(): Promise<unknown>
  close(): Promise<void>
}

interface Worker {
  waitUntilReady(): Promise<unknown>
  close(): Promise<void>
}

interface BullMq {
  readonly Queue: new (name: string, options: object) => Queue
  readonly Worker: new (name: string, handle: (job: Job) => Promise<void>, options: object) => Worker
  readonly FlowProducer: new (
    options: object,
  ) => {
    addBulk(flows: readonly object[]): Promise<unknown>
    close(): Promise<void>
  }
}

const QUEUE = 'inbox'
const KEEP_NONE = { removeOnComplete: true, removeOnFail: true }
const CONCURRENCY = 100

export async function openBullMq(url: string): Promise<System> {
  const { Queue, Worker, FlowProducer } = await importPeer<BullMq>('bullmq')
  const { hostname: host, port, pathname } = new URL(url)
  const connection = { host, port: Number(port), db: Number(pathname.slice(1)), maxRetriesPerRequest: null }
  const queue = new Queue(QUEUE, { connection })
  await queue.waitUntilReady()
  const closing: (() => Promise<void>)[] = [() => queue.close()]
  let flows: InstanceType<BullMq['FlowProducer']> | undefined
  return {
    push: (body) => queue.add('message', { body }, KEEP_NONE),
    pushMany: (bodies) => queue.addBulk(bodies.map((body) => ({ name: 'message', data: { body }, opts: KEEP_NONE }))),
    async drain(count) {
      let left = count
      const { promise, resolve } = Promise.withResolvers<void>()
      const handle = async ({ data }: Job) => {
        JSON.parse(data.body)
        if (--left === 0) resolve()
      }
      const worker = new Worker(QUEUE, handle, { connection, concurrency: CONCURRENCY })
      await promise
      await worker.close()
      return count
    },
    async listen(onBody) {
      const worker = new Worker(QUEUE, async ({ data }) => onBody(JSON.parse(data.body) as Body), { connection })
      await worker.waitUntilReady()
      closing.unshift(() => worker.close())
    },
    fanOut(body, recipients) {
      if (!flows) {
        const producer = new FlowProducer({ connection })
        flows = producer
        closing.unshift(() => producer.close())
      }
      return flows.addBulk(
        recipients.map((name) => ({ name: 'message', queueName: name, data: { body }, opts: KEEP_NONE })),
      )
    },
    async close() {
      for (const close of closing) await close()
    },
  }
}
