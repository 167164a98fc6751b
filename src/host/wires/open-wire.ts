import type { Context } from '../../core/context.ts'
import { PosternError } from '../../model/errors.ts'
import { formatSpoolCopy } from '../../spool/message-copy.ts'
import type { EngineWire } from '../../wires/wire.ts'
import { type Engine, parseWireUrl } from '../config/wire.ts'

export interface EngineWireOptions {
  readonly note?: Context['note']
}

/** Opens wires to the engine of a URL. */
export type OpenEngineWire = (options?: EngineWireOptions) => EngineWire

/** Loads what speaks to the engine that a URL names; nothing is connected by that. */
export async function loadEngine(url: string): Promise<OpenEngineWire> {
  if (parseWireUrl(url) === 'redis') {
    const { createRedisWire } = await driver('redis', () => import('../../wires/redis/redis-wire.ts'))
    return ({ note = () => {} } = {}) => createRedisWire({ url, note, random: Math.random })
  }
  const { createNatsWire } = await driver('nats', () => import('../../wires/nats/nats-wire.ts'))
  return ({ note = () => {} } = {}) => createNatsWire({ url, format: formatSpoolCopy, note, random: Math.random })
}

/** A wire to the engine that a URL names. It connects when it is first used, and goes on trying for as long as it is open. */
export async function openEngineWire(url: string, options: EngineWireOptions = {}): Promise<EngineWire> {
  return (await loadEngine(url))(options)
}

/** What has to be installed beside the library; the executable brings it along. */
const PACKAGES: Readonly<Record<Engine, string>> = {
  nats: '@nats-io/transport-node @nats-io/jetstream',
  redis: '@redis/client',
}

async function driver<T>(engine: Engine, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw error
    const [reason = ''] = message.split('\n')
    throw new PosternError(
      'WIRE_DRIVER_MISSING',
      { wire: engine, packages: PACKAGES[engine], reason },
      { cause: error },
    )
  }
}
