import { onTestFinished } from 'vitest'
import type { ProgramName } from '../../../helpers/binaries.ts'
import { type RedisServer, startRedis } from '../../../helpers/redis.ts'
import { type NatsServer, startNats } from '../../../helpers/wires/nats.ts'

/** An engine that rings are sent through, and everything that may happen to it. It goes with the test. */
export interface MortalEngine {
  readonly url: string
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Starts it again at the same address. */
  again(): Promise<void>
  /** Whatever it kept is gone; it runs afterwards. */
  wipe(): Promise<void>
}

export type EngineName = 'nats' | 'redis'

/** The programs that an engine takes. */
export const ENGINE_PROGRAMS = {
  nats: ['nats-server'],
  redis: ['redis-server', 'redis-cli'],
} as const satisfies Readonly<Record<EngineName, readonly ProgramName[]>>

export function startEngine(name: EngineName): Promise<MortalEngine> {
  return name === 'nats' ? startMortalNats() : startMortalRedis()
}

async function startMortalNats(): Promise<MortalEngine> {
  const nats = (await startNats()) as NatsServer
  onTestFinished(() => nats.stop())
  return {
    url: nats.url,
    end: nats.halt,
    again: nats.start,
    async wipe() {
      await nats.halt('SIGKILL')
      nats.wipe()
      await nats.start()
    },
  }
}

async function startMortalRedis(): Promise<MortalEngine> {
  const redis = (await startRedis()) as RedisServer
  onTestFinished(() => redis.stop())
  return {
    url: redis.url,
    end: redis.end,
    again: () => redis.again(),
    async wipe() {
      await redis.cli('FLUSHALL')
    },
  }
}
