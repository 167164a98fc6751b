import type { RedisWire } from './redis-wire.ts'
import { keysOf } from './script.ts'

/** What a person should know of the lists on a server. */
export interface ListFacts {
  /** Lists in which producers push for agents that nobody has registered: nobody takes them over. */
  readonly stray: readonly ListFact[]
  /** What could not be read, put aside by agent. */
  readonly refused: readonly ListFact[]
  /** False where the server has so many keys that not all were looked at. */
  readonly isComplete: boolean
}

export interface ListFact {
  readonly agent: string
  readonly length: number
}

const SCANS = 100
const KEYS_A_SCAN = '1000'
const NAMED = 20
const PREFIX = 'inbox:'
const REFUSED = ':refused'

/** Looks through the keys of a server, at no more of them than it answers for quickly. */
export async function inspectLists(wire: Pick<RedisWire, 'use'>, known: ReadonlySet<string>): Promise<ListFacts> {
  return wire.use(async (client) => {
    const keys = new Set<string>()
    let cursor = '0'
    let isComplete = false
    for (let scan = 0; scan < SCANS && !isComplete; scan++) {
      const args = ['SCAN', cursor, 'MATCH', `${PREFIX}*`, 'COUNT', KEYS_A_SCAN, 'TYPE', 'list']
      const [next, found] = await client.sendCommand<[string, string[]]>(args)
      for (const key of found) keys.add(key)
      cursor = next
      isComplete = cursor === '0'
    }
    const agents = [...keys].map((key) => key.slice(PREFIX.length)).sort()
    const stray = agents.filter((agent) => !known.has(agent) && !agent.endsWith(REFUSED))
    const refused = agents.filter((agent) => agent.endsWith(REFUSED)).map((agent) => agent.slice(0, -REFUSED.length))
    const measured = (names: readonly string[], what: 'list' | 'refused') =>
      Promise.all(
        names.slice(0, NAMED).map(async (agent) => ({ agent, length: await client.lLen(keysOf(agent)[what]) })),
      )
    return { stray: await measured(stray, 'list'), refused: await measured(refused, 'refused'), isComplete }
  })
}
