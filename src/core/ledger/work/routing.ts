import type { Agent } from '../../../model/agent.ts'
import type { EventRoute, LedgerSettings } from '../../../model/ledger/settings.ts'
import type { Shelves } from '../../../store/store.ts'

/** Who is told of an event; undefined where the table knows nothing of its type. */
export function routeOf({ routing }: Pick<LedgerSettings, 'routing'>, type: string): EventRoute | undefined {
  return Object.hasOwn(routing, type) ? routing[type] : undefined
}

export interface Targets {
  /** Registered, without repetition and in ascending order. */
  readonly known: readonly string[]
  readonly unknown: readonly string[]
}

/** Divides names into those who are registered and those who are not. Whoever speaks is not told what it says itself. */
export async function targetsOf(shelves: Shelves, names: readonly string[], speaker: string): Promise<Targets> {
  const known: string[] = []
  const unknown: string[] = []
  for (const name of [...new Set(names)].sort()) {
    if (name === speaker) continue
    const agent: Agent | undefined = await shelves.agents.get(name)
    if (agent?.removedAt === null) known.push(name)
    else unknown.push(name)
  }
  return { known, unknown }
}
