import { reasonOf } from '../kit/pure/reason-of.ts'
import type { LocalPostern } from '../model/postern.ts'
import type { HookEvent } from './hosts/host.ts'

/** No host has such an event: `doctor` fires it to see that a hook answers. It changes nothing. */
const PROBE = 'PosternDoctor'
const SESSION = 'postern-doctor'

/** What a hook found that was probed. */
export interface Probed {
  readonly agent: string
  /** Null where its store could be read. */
  readonly fault: string | null
}

/** The event, as any host would send it. */
export function formatProbe(cwd: string): string {
  const event = { hook_event_name: PROBE, session_id: SESSION, conversation_id: SESSION, cwd, transcript_path: null }
  return `${JSON.stringify(event)}\n`
}

export function isProbe({ hostEvent }: HookEvent): boolean {
  return hostEvent === PROBE
}

/** Does what every hook does, as far as that changes nothing. */
export async function answerProbe(agent: string, open: () => Promise<LocalPostern>): Promise<string> {
  const probed: Probed = { agent, fault: await findFault(agent, open) }
  return JSON.stringify({ postern: probed })
}

async function findFault(agent: string, open: () => Promise<LocalPostern>): Promise<string | null> {
  try {
    const postern = await open()
    await postern.hooks.standing({ agent, sessionId: SESSION })
    await postern.sessions.list({ agent })
    await postern.close()
    return null
  } catch (error) {
    return reasonOf(error)
  }
}

/** Undefined where it is no answer to a probe. */
export function parseProbed(output: string): Probed | undefined {
  try {
    const { agent, fault } = JSON.parse(output).postern
    return typeof agent === 'string' ? { agent, fault: fault === null ? null : String(fault) } : undefined
  } catch {
    return undefined
  }
}
