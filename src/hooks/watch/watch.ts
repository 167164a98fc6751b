import { PosternError } from '../../model/errors.ts'
import type { Postern } from '../../model/postern.ts'
import { NORMAL } from '../../model/priority.ts'
import { isToBeWoken, type LiveSession } from './rest.ts'

export interface Watch {
  readonly postern: WatchedPostern
  readonly agent: string
  readonly sessionId: string
  /** When to give up although nothing has come. */
  readonly endsAt: number
  /** Whether the store that is open is still the one that others use. */
  readonly isStoreThere: () => boolean
  /** Whether the process that the watcher is bound to has ended, where it is bound to one. */
  readonly isStarterGone?: () => boolean
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
}

/** As much of Postern as a watcher needs. */
export interface WatchedPostern {
  readonly agents: Pick<Postern['agents'], 'show'>
  readonly sessions: Pick<Postern['sessions'], 'list'>
  readonly inbox: Pick<Postern['inbox'], 'wait'>
}

/** Mail that waits for a session at rest. */
export interface Find {
  readonly pending: number
  readonly session: LiveSession
}

/** The session's first hook runs at the same time, and makes it known. */
const KNOWN_WITHIN_MS = 10_000
const KNOWN_POLL_MS = 200

/** While nothing waits this is how soon the end of a session is noticed; nothing else is done until somebody rings. */
const SLICE_MS = 5_000

/** While mail waits for a session that works. */
const BUSY_POLL_MS = 500

const FAULT_POLL_MS = 2_000
const MAX_FAULTS = 30

/** Mail that is less urgent waits for the next prompt. */
export const WAKING_PRIORITY = NORMAL

/** Sleeps until mail waits for a session that rests. Undefined where there is nothing left to watch. */
export async function watchSession(watch: Watch): Promise<Find | undefined> {
  const knownBy = watch.now() + KNOWN_WITHIN_MS
  let waitingSince: number | undefined
  let wasKnown = false
  for (let faults = 0; ; ) {
    if (isOver(watch)) return undefined
    try {
      const seen = await look(watch)
      if (!seen) {
        if (wasKnown || watch.now() >= knownBy) return undefined
        await watch.sleep(KNOWN_POLL_MS)
        continue
      }
      if (seen.own.liveness === 'gone') return undefined
      wasKnown = true
      const pending = await waitForMail(watch, waitingSince === undefined ? SLICE_MS : 0)
      faults = 0
      if (pending === 0) {
        waitingSince = undefined
        continue
      }
      waitingSince ??= watch.now()
      // What was seen before the sleep is old by now.
      const sight = await look(watch)
      if (!sight) return undefined
      if (isToBeWoken({ ...sight, now: watch.now(), waitingSince })) return { pending, session: sight.own }
      await watch.sleep(BUSY_POLL_MS)
    } catch (error) {
      // A store that is only busy comes back.
      if (!(error instanceof PosternError && error.retryable) || ++faults >= MAX_FAULTS) return undefined
      await watch.sleep(FAULT_POLL_MS)
    }
  }
}

function isOver({ endsAt, now, isStoreThere, isStarterGone }: Watch): boolean {
  return now() >= endsAt || !isStoreThere() || isStarterGone?.() === true
}

interface Seen {
  readonly own: LiveSession
  readonly sessions: readonly LiveSession[]
  readonly heardAt: number
}

/** Undefined where the session has ended, or is not known yet. */
async function look({ postern, agent, sessionId }: Watch): Promise<Seen | undefined> {
  const sessions = await postern.sessions.list({ agent })
  const own = sessions.find(({ id }) => id === sessionId)
  if (!own) return undefined
  const { session } = await postern.agents.show({ id: agent })
  return { own, sessions, heardAt: session?.lastEventAt ?? own.lastEventAt }
}

async function waitForMail({ postern, agent }: Watch, timeoutMs: number): Promise<number> {
  const { pending } = await postern.inbox.wait({ agent, timeoutMs, maxPriority: WAKING_PRIORITY, fromOthers: true })
  return pending
}

/** What an agent is told when it is woken: that there is mail, and nothing of what it says. */
export function describeMail(agent: string, pending: number): string {
  const mail = pending === 1 ? '1 message waits' : `${pending} messages wait`
  return `Postern: ${mail} for ${agent} and ${pending === 1 ? 'is' : 'are'} shown with this prompt.`
}
