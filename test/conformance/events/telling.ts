import type { PosternEvent } from '../../../src/model/network/event.ts'
import type { ListEvents } from '../../../src/model/network/events.ts'
import type { Postern } from '../../../src/model/postern.ts'

let ends = 0

/**
 * Everything that happens while something is done. On PostgreSQL events are shown once no older transaction is open, of
 * whomever; so beginning and end are events of their own, which are waited for.
 */
export async function toldBy(postern: Postern, act: () => Promise<unknown>, filter: ListEvents = {}): Promise<Told> {
  const cursor = await presentOf(postern)
  await act()
  return toldSince(postern, cursor, filter)
}

/** A cursor after everything that has happened so far. */
export async function presentOf(postern: Postern): Promise<string> {
  return (await toldSince(postern, (await postern.events.list()).cursor)).cursor
}

export interface Told {
  readonly events: readonly PosternEvent[]
  readonly types: readonly string[]
  readonly cursor: string
}

export async function toldSince(postern: Postern, after: string, filter: ListEvents = {}): Promise<Told> {
  const end = `end-${++ends}`
  await postern.agents.add({ id: end })
  const types = filter.types && [...filter.types, 'agent.added']
  const events: PosternEvent[] = []
  let cursor = after
  for (;;) {
    const page = await postern.events.wait({ ...filter, ...(types && { types }), after: cursor, timeoutMs: 60_000 })
    const last = page.items.findIndex(({ subject }) => subject === end)
    events.push(...(last === -1 ? page.items : page.items.slice(0, last)))
    cursor = page.cursor
    if (last !== -1) return { events, types: events.map(({ type }) => type), cursor }
  }
}
