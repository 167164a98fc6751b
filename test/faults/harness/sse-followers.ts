import { setTimeout as delay } from 'node:timers/promises'
import { connectSse, type SseConnection } from '../../helpers/sse-client.ts'

export interface FollowerSettings {
  readonly url: string
  readonly token: string
  readonly query: string
  /** The stream of events by default. */
  readonly path?: string
  /** Where it begins. */
  readonly from: string
  readonly random: () => number
}

/** A client that is cut off again and again, and always comes back with the last id it was sent. */
export interface StubbornFollower {
  /** The ids of all events or entries it was ever sent, in the order in which they came. */
  readonly seen: readonly string[]
  readonly connections: number
  /** Resolves when it was sent an event about this, or an entry that says it. */
  until(subject: string): Promise<void>
}

const LONGEST_LIFE_MS = 400

export function startFollower({ from, random, ...settings }: FollowerSettings): StubbornFollower {
  const seen: string[] = []
  let connections = 0
  let lastId = from
  let last = ''

  async function live(): Promise<void> {
    const connection = await connectSse(settings.url, { ...settings, lastId })
    connections++
    const cut = setTimeout(() => connection.close(), random() * LONGEST_LIFE_MS)
    await connection.ended
    clearTimeout(cut)
    take(connection)
  }

  function take(connection: SseConnection): void {
    for (const { id, data, event } of connection.events) {
      if (event === 'heartbeat') continue
      const { subject, content, msg_id } = JSON.parse(data)
      seen.push(event === 'gap' ? `gap after ${id}` : (msg_id ?? id))
      last = subject ?? content
    }
    // An id that came without an event counts too, but only where its line came whole.
    const whole = connection.text.slice(0, connection.text.lastIndexOf('\n\n') + 1)
    lastId = [...whole.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? lastId
  }

  return {
    seen,
    get connections() {
      return connections
    },
    async until(subject) {
      while (last !== subject) {
        // A server that is dead refuses; the next one will not.
        await live().catch(() => delay(10))
      }
    },
  }
}

export interface StreamFindings {
  readonly skipped: readonly string[]
  readonly repeated: readonly string[]
  readonly reordered: readonly string[]
  readonly unexpected: readonly string[]
}

/** Holds what a client was sent against what the store says that it should have been. */
export function checkStream(expected: readonly string[], seen: readonly string[]): StreamFindings {
  const [wanted, got, before] = [new Set(expected), new Set(seen), new Set<string>()]
  return {
    skipped: expected.filter((id) => !got.has(id)),
    repeated: seen.filter((id) => before.size === before.add(id).size),
    reordered: seen.filter((id, at) => at > 0 && id < (seen[at - 1] ?? '')),
    unexpected: [...got].filter((id) => !wanted.has(id)),
  }
}
