import { readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { type Backoff, createBackoff } from '../../kit/pure/backoff.ts'
import type { LiveSession } from './rest.ts'
import { describeMail, type Find, type Watch, watchSession } from './watch.ts'

/** The host takes some seconds until its turn begins; one that has not begun after this was not heard. */
const TAKEN_WITHIN_MS = 60_000
const TAKEN_POLL_MS = 1_000
const LAST_RETRY_MS = 10 * 60_000
const QUEUE_MS = 30_000

/** Puts a prompt into the session's own queue. Resolves with what went wrong, if anything. */
export type Queue = (session: LiveSession, text: string) => Promise<string | undefined>

/** Watches for as long as the session lasts, and wakes it through its host's queue whenever mail waits while it rests. */
export async function wakeByQueue(watch: Watch, queue: Queue, note: (fault: string) => void): Promise<void> {
  const backoff = createBackoff({ minMs: TAKEN_WITHIN_MS, maxMs: LAST_RETRY_MS, random: Math.random })
  for (let find = await watchSession(watch); find; find = await watchSession(watch)) {
    const fault = await queue(find.session, describeMail(watch.agent, find.pending))
    if (fault !== undefined) note(fault)
    await untilTaken(watch, find, backoff)
  }
}

/** The session works again, or is gone; or nothing has come of it, and it is worth another try. */
async function untilTaken(watch: Watch, { session }: Find, backoff: Backoff): Promise<void> {
  const until = watch.now() + backoff.next()
  while (watch.now() < until) {
    await watch.sleep(TAKEN_POLL_MS)
    const sessions = await watch.postern.sessions.list({ agent: watch.agent }).catch(() => undefined)
    if (!sessions) continue
    const own = sessions.find(({ id }) => id === session.id)
    if (own && own.liveness !== 'gone' && own.idleSince === session.idleSince) continue
    backoff.reset()
    return
  }
}

/** Asks the program itself that the session runs in, whatever stands on the path; else the one there. */
export const queueInCodex: Queue = (session, text) => {
  const { execFile } = process.getBuiltinModule('node:child_process')
  const words = ['queue', '--thread', session.id, '--message', text]
  return new Promise((resolve) => {
    const child = execFile(
      programOf(session),
      words,
      { timeout: QUEUE_MS, killSignal: 'SIGKILL' },
      (error, _, said) => {
        resolve(error ? `codex queue failed: ${said.trim().split('\n').at(-1) || error.message}` : undefined)
      },
    )
    child.stdin?.end()
  })
}

const PROGRAM = 'codex'

function programOf({ pid, liveness }: LiveSession): string {
  if (pid === null || liveness !== 'alive') return PROGRAM
  const running = `/proc/${pid}/exe`
  try {
    // Also one that was replaced by its update meanwhile can still be run by this name.
    return basename(readlinkSync(running)).startsWith(PROGRAM) ? running : PROGRAM
  } catch {
    return PROGRAM
  }
}
