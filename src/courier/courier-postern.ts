import type { Inbox, Postern } from '../model/postern.ts'

/** The part of a Postern that a courier uses. */
export interface CourierPostern {
  readonly agents: Pick<Postern['agents'], 'show'>
  readonly sessions: Pick<Postern['sessions'], 'list'>
  readonly inbox: Pick<Inbox, 'list' | 'wait' | 'ingest'>
}

/** A store that takes longer than this counts as unreachable. */
const PATIENCE_MS = 5_000

/** The same Postern, whose calls reject if they take too long. */
export function withTimeouts({ agents, sessions, inbox }: CourierPostern): CourierPostern {
  return {
    agents: { show: (input) => withTimeout(agents.show(input)) },
    sessions: { list: (input) => withTimeout(sessions.list(input)) },
    inbox: {
      list: (input) => withTimeout(inbox.list(input)),
      wait: (input) => withTimeout(inbox.wait(input)),
      ingest: (input) => withTimeout(inbox.ingest(input)),
    },
  }
}

/** Rejects if the work takes too long. A late result is dropped. */
export function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the store did not answer within ${PATIENCE_MS} ms`)), PATIENCE_MS)
  })
  work.catch(() => {})
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
