import { onTestFinished } from 'vitest'
import { startRedis } from '../../../helpers/redis.ts'
import { startNats } from '../../../helpers/wires/nats.ts'

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

/** Undefined where it is not installed: then the tests that need it are skipped, and say so. */
export function startEngine(name: EngineName): Promise<MortalEngine | undefined> {
  return name === 'nats' ? startMortalNats() : startMortalRedis()
}

async function startMortalNats(): Promise<MortalEngine | undefined> {
  const nats = await startNats()
  if (!nats) return undefined
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

async function startMortalRedis(): Promise<MortalEngine | undefined> {
  const redis = await startRedis()
  if (!redis) return undefined
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
