import type { EngineWire } from '../wire.ts'
import type { RedisWire } from './redis-wire.ts'

/** True for the engine that also has seed 001's lists. It is known by its name, so that no driver is loaded to ask. */
export function isRedisWire(wire: EngineWire): wire is RedisWire {
  return wire.name === 'redis'
}
