import { machineName } from '../kit/node/processes.ts'
import type { Postern } from '../model/postern.ts'
import type { Session } from '../model/session.ts'

export interface HostSession {
  /** The host has named its session in a call. */
  hear(id: unknown): void
  find(): Promise<Session | undefined>
  /** Brings what lies in its spool into the agent's inbox. */
  gather(): Promise<void>
}

export interface HostSessionOptions {
  readonly postern: Postern
  readonly agent: string
  /** As the environment names it. */
  readonly id: string | undefined
  /** What goes wrong keeps nobody from what the store holds. */
  readonly note: (line: string) => void
}

const PATIENCE_MS = 500

/**
 * The session of the host that has started this program, once the host's hooks have told of it. What is shown in a session
 * that is known is also confirmed by its next hook; without hooks there is none, and only calls confirm.
 */
export function createHostSession({ postern, agent, id: given, note }: HostSessionOptions): HostSession {
  let id = given

  async function find(): Promise<Session | undefined> {
    if (id === undefined) return undefined
    const sessions = await postern.sessions.list({ agent })
    return sessions.find((session) => session.id === id)
  }

  return {
    hear(named) {
      if (given === undefined && typeof named === 'string' && named !== '') id = named
    },
    find,
    async gather() {
      const session = await find()
      if (!session || session.project === null || session.machine !== machineName()) return
      const { ingestSpool, SpoolError } = await import('../host/spool.ts')
      try {
        await ingestSpool(postern, { agent, sessionId: session.id, root: session.project, patienceMs: PATIENCE_MS })
      } catch (error) {
        if (!(error instanceof SpoolError)) throw error
        note(error.message)
      }
    },
  }
}
