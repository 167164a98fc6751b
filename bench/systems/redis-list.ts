import { importPeer } from '../peers.ts'
import type { Body, System } from './system.ts'

interface Redis {
  lpush(key: string, value: string): Promise<number>
  rpop(key: string, count: number): Promise<string[] | null>
  brpop(key: string, seconds: number): Promise<[string, string] | null>
  pipeline(): { lpush(key: string, value: string): void; exec(): Promise<unknown> }
  disconnect(): void
}

/** Lists of a Redis, by the commands themselves. */
export async function openRedisList(url: string): Promise<System> {
  const { Redis } = await importPeer<{ Redis: new (url: string) => Redis }>('ioredis')
  const redis = new Redis(url)
  const pipelined = (entries: readonly (readonly [string, string])[]) => {
    const pipeline = redis.pipeline()
    for (const [key, body] of entries) pipeline.lpush(key, body)
    return pipeline.exec()
  }
  return {
    push: (body) => redis.lpush('inbox', body),
    pushMany: (bodies) => pipelined(bodies.map((body) => ['inbox', body])),
    async drain(count) {
      const taken = (await redis.rpop('inbox', count)) ?? []
      return taken.map((body) => JSON.parse(body)).length
    },
    async listen(onBody) {
      void listenFor(redis, onBody)
    },
    fanOut: (body, recipients) => pipelined(recipients.map((name) => [`inbox:${name}`, body])),
    close: () => redis.disconnect(),
  }
}

async function listenFor(redis: Redis, onBody: (body: Body) => void): Promise<void> {
  for (;;) {
    const taken = await redis.brpop('inbox', 0)
    if (taken) onBody(JSON.parse(taken[1]))
  }
}
