import type { Server } from '@modelcontextprotocol/server'
import { sleep } from '../kit/clock/sleep.ts'
import { isOwnNote } from '../model/own-note.ts'
import type { Connection } from './connection.ts'

const ROUND_MS = 60_000
const RETRY_MS = 5_000

/** Whoever has let more than this pile up need not be told of more. */
const LOOKED_AT = 100

/**
 * Wakes an idle session of Claude Code whose user has let it: it says that mail has come, never what is in it. What is
 * lost on the way does no harm, for the mail waits.
 */
export function startChannel(server: Server, connection: Connection, gone: AbortSignal): void {
  void follow(server, connection, gone)
}

async function follow(server: Server, connection: Connection, gone: AbortSignal): Promise<void> {
  const { postern, agent } = connection
  let told: ReadonlySet<string> = new Set()
  while (!gone.aborted) {
    try {
      const { cursor } = await postern.events.list({})
      const { pending } = await postern.inbox.wait({ agent, fromOthers: true, timeoutMs: ROUND_MS, signal: gone })
      const ids = pending === 0 ? [] : await listFromOthers(connection)
      // How many wait would not say it: what was taken meanwhile makes room for something new.
      if (ids.some((id) => !told.has(id))) await tell(server, agent, pending)
      told = new Set(ids)
      // The same mail is told of once: from here on only something new counts.
      if (pending > 0) {
        const types = ['message.created', 'delivery.*']
        await postern.events.wait({ after: cursor, agent, types, timeoutMs: ROUND_MS, signal: gone })
      }
    } catch {
      await sleep(RETRY_MS, { isBackground: true })
    }
  }
}

async function listFromOthers({ postern, agent }: Connection): Promise<readonly string[]> {
  const { items } = await postern.inbox.list({ agent, limit: LOOKED_AT })
  return items.filter((message) => !isOwnNote(message)).map(({ id }) => id)
}

async function tell(server: Server, agent: string, pending: number): Promise<void> {
  const content = `${pending === 1 ? 'A message waits' : `${pending} messages wait`} for ${agent}. Take with: inbox_check`
  await server.notification({
    method: 'notifications/claude/channel',
    params: { content, meta: { agent, pending: String(pending) } },
  })
}
