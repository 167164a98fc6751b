import type { HistoryEvent } from '../../helpers/history.ts'
import type { Reader } from './doors.ts'
import type { Place } from './place.ts'
import { keyIn, type Shown } from './shown.ts'

const OPEN_STATES = new Set(['pending', 'offered', 'held', 'dead'])

/** Reads, confirms and acknowledges until no message waits. */
export async function readAll(reader: Reader, agent: string, by: string): Promise<HistoryEvent[]> {
  const events: HistoryEvent[] = []
  for (;;) {
    const shown = await reader.read()
    if (shown.length === 0) return events
    events.push(...shownTo(agent, shown, by))
    const kind = (await reader.confirm()) ? 'confirmed' : 'refused'
    events.push(...shown.map(({ key }): HistoryEvent => ({ kind, key, by })))
    for (const { id, key } of shown) {
      await reader.ack(id)
      events.push({ kind: 'acked', key, by })
    }
  }
}

/** A key names the recipient of its message. In another inbox the message counts as a phantom. */
export function shownTo(agent: string, shown: readonly Shown[], by: string): HistoryEvent[] {
  return shown.map(({ key, attempt }) => {
    const isOwn = key.startsWith(`key-${agent}-`)
    return { kind: 'shown', key: isOwn ? key : `${key}, shown to ${agent}`, attempt, by }
  })
}

/** Messages that were not shown, or not confirmed. */
export async function leftIn({ ask }: Place, agents: readonly string[]): Promise<HistoryEvent[]> {
  const events: HistoryEvent[] = []
  for (const agent of agents) {
    for (let next: string | null | undefined; next !== null; ) {
      const after = next === undefined ? [] : ['--after', next]
      const page = await ask<Listing>('inbox', 'list', '--agent', agent, '--all', '--limit', '1000', ...after)
      const open = page.items.filter(({ state }) => OPEN_STATES.has(state))
      events.push(
        ...open.map(({ subject, content }): HistoryEvent => ({ kind: 'waiting', key: keyIn(`${subject} ${content}`) })),
      )
      next = page.next
    }
  }
  return events
}

interface Listing {
  readonly items: readonly { readonly subject: string | null; readonly content: string; readonly state: string }[]
  readonly next: string | null
}
