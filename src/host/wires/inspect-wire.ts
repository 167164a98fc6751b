import { within } from '../../kit/clock/within.ts'
import { hidePassword } from '../../kit/pure/passwords.ts'
import { PosternError } from '../../model/errors.ts'
import type { HealthCheck } from '../../model/postern.ts'
import { isRedisWire } from '../../wires/redis/is-redis-wire.ts'
import { inspectLists, type ListFact } from '../../wires/redis/list-facts.ts'
import type { EngineWire, WireHealth } from '../../wires/wire.ts'
import type { Config } from '../config/config.ts'
import { findWireUrl, WIRE } from '../config/wire.ts'
import { openEngineWire } from './open-wire.ts'

const PATIENCE_MS = 2_000
const NAMES_SHOWN = 10

/** Says whether the engine that rings other machines can be used, by trying it once. Nothing where none is set. */
export async function inspectWire(config: Config, agents: readonly string[] | undefined): Promise<HealthCheck[]> {
  try {
    const url = findWireUrl(config)
    if (url === null) return []
    return [...(await tryWire(url, agents)), ...outletChecks(config.get(WIRE).redisOut, agents)]
  } catch (error) {
    if (error instanceof PosternError) return [fault(error.message, error.next)]
    throw error
  }
}

async function tryWire(url: string, agents: readonly string[] | undefined): Promise<HealthCheck[]> {
  const wire = await openEngineWire(url)
  try {
    const { isUp, detail } = await within(PATIENCE_MS, wire.health(), LATE)
    if (!isUp) {
      const where = detail === LATE.detail ? `${hidePassword(url)}: ${detail}` : detail
      return [fault(where, 'Messages are safe in the store. Check that the engine runs and can be reached from here.')]
    }
    return [{ name: 'wire', ok: true, level: 'warning', detail }, ...(await listChecks(wire, agents))]
  } finally {
    await within(PATIENCE_MS, Promise.resolve(wire.close()), undefined)
  }
}

/** Nobody takes what lies in the list of somebody who is not registered, or what could not be read. */
async function listChecks(wire: EngineWire, agents: readonly string[] | undefined): Promise<HealthCheck[]> {
  if (!isRedisWire(wire) || agents === undefined) return []
  const facts = await within(PATIENCE_MS, inspectLists(wire, new Set(agents)), undefined)
  if (!facts) return []
  return [
    ...warning(facts.stray, {
      name: 'wire.lists',
      detail: 'lists in Redis whose agents are not registered',
      next: 'Register them with "postern agent add <name>", and what lies there is taken over.',
    }),
    ...warning(facts.refused, {
      name: 'wire.refused',
      detail: 'entries of lists in Redis that could not be read were put aside for',
      next: 'Look at them with "redis-cli LRANGE inbox:<agent>:refused 0 -1", fix the program that pushes them, and delete the list.',
    }),
  ]
}

/** A name that is mistyped there would go unnoticed: nothing ever waits for it. */
function outletChecks(redisOut: readonly string[], agents: readonly string[] | undefined): HealthCheck[] {
  const unknown = agents === undefined ? [] : redisOut.filter((agent) => !agents.includes(agent))
  if (unknown.length === 0) return []
  const detail = `"wire.redisOut" names agents that are not registered: ${unknown.slice(0, NAMES_SHOWN).join(', ')}`
  const next = 'Register them with "postern agent add <name>", or fix the configuration.'
  return [{ name: 'wire.redisOut', ok: false, level: 'warning', detail, next }]
}

function warning(found: readonly ListFact[], check: Pick<HealthCheck, 'name' | 'detail' | 'next'>): HealthCheck[] {
  if (found.length === 0) return []
  const shown = found.slice(0, NAMES_SHOWN).map(({ agent, length }) => `inbox:${agent} (${length})`)
  const more = found.length > shown.length ? ' and more' : ''
  return [{ ...check, ok: false, level: 'warning', detail: `${check.detail}: ${shown.join(', ')}${more}` }]
}

const LATE: WireHealth = { isUp: false, detail: 'it does not answer' }

function fault(detail: string, next: string): HealthCheck {
  return { name: 'wire', ok: false, level: 'warning', detail, next }
}
