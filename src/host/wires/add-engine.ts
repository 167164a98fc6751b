import type { Context } from '../../core/context.ts'
import { PosternError } from '../../model/errors.ts'
import { afterThisTurn, delayRings } from '../../wires/delayed-wire.ts'
import { createPairedWire } from '../../wires/paired-wire.ts'
import type { Wire } from '../../wires/wire.ts'
import type { Config } from '../config/config.ts'
import { findWireUrl, WIRE } from '../config/wire.ts'
import { createLateWire } from './late-wire.ts'
import { loadEngine, type OpenEngineWire } from './open-wire.ts'
import { ringEventsLater } from './own-wire.ts'

/** Adds the engine that a configuration names to the store's own wire, for a program that may wait for something. */
export async function addEngine(config: Config, note: Context['note'] = () => {}): Promise<(own: Wire) => Wire> {
  const open = await findEngine(config, note)
  if (open === undefined) return (own) => own
  return (own) =>
    createPairedWire(
      ringEventsLater(config, own),
      createLateWire(() => delayRings(open({ note }), afterThisTurn)),
      note,
    )
}

async function findEngine(config: Config, note: Context['note']): Promise<OpenEngineWire | undefined> {
  const url = findWireUrl(config)
  if (url === null) return undefined
  try {
    return await loadEngine(url)
  } catch (error) {
    // Nobody has asked for an engine that was only found: without its driver the program does as without it.
    const isAsked = config.get(WIRE).url !== null
    if (isAsked || !(error instanceof PosternError) || error.code !== 'WIRE_DRIVER_MISSING') throw error
    note('wire.skipped', { reason: error.message })
    return undefined
  }
}
