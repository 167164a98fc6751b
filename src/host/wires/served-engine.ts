import type { Context } from '../../core/context.ts'
import { hidePassword } from '../../kit/pure/passwords.ts'
import { isRedisWire } from '../../wires/redis/is-redis-wire.ts'
import type { EngineWire } from '../../wires/wire.ts'
import type { Config } from '../config/config.ts'
import { findWireUrl, WIRE, type WireSettings } from '../config/wire.ts'
import { openEngineWire } from './open-wire.ts'

/** The engine that a server rings other machines through. */
export interface ServedEngine {
  readonly wire: EngineWire
  readonly settings: WireSettings
  /** Without its password. */
  readonly url: string
}

/** Opens the engine that a configuration names. The engine may be down; one that could never be used is refused. */
export async function openServedEngine(config: Config, note: Context['note']): Promise<ServedEngine | undefined> {
  const settings = config.get(WIRE)
  const url = findWireUrl(config)
  if (url === null) return undefined
  const wire = await openEngineWire(url, { note })
  try {
    if (isRedisWire(wire)) await wire.check()
  } catch (error) {
    await wire.close()
    throw error
  }
  return { wire, settings, url: hidePassword(url) }
}
