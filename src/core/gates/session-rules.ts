import { SYSTEM_CALLER, trustOf } from '../../model/caller.ts'
import type { SessionGate, SessionGateRule } from '../../model/gate.ts'
import type { GateAuthor } from '../../model/gates.ts'
import type { Session } from '../../model/session.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'

/**
 * The gates of a session: its own, and those of the configuration that no person has replaced for it. A gate
 * that a program or an unnamed caller registers replaces none.
 */
export async function rulesOf(
  { sessionGates }: Context,
  { gates, agents }: Shelves,
  sessionId: string,
): Promise<readonly (SessionGate | SessionGateRule)[]> {
  const registered: SessionGate[] = []
  for (const gate of await gates.registered({ sessionId })) {
    const isConfigured = sessionGates.some(({ name }) => name === gate.name)
    const by = isConfigured ? await agents.get(gate.registeredBy) : undefined
    if (!isConfigured || by?.kind === 'human') registered.push(gate)
  }
  const own = new Set(registered.map(({ name }) => name))
  return [...registered, ...sessionGates.filter(({ name }) => !own.has(name))]
}

/** The creator of the gates of the configuration. No agent is called that. */
export const CONFIGURATION = 'configuration'

/** Who wrote a rule. The words of the configuration are the user's own, so Postern vouches for them. */
export function authorOfRule(rule: SessionGateRule | SessionGate): GateAuthor {
  return 'registeredBy' in rule
    ? { createdBy: rule.registeredBy, createdTrust: rule.registeredTrust }
    : { createdBy: CONFIGURATION, createdTrust: trustOf(SYSTEM_CALLER) }
}

/** Whether a mark can meet the gate. Otherwise the store or a command tells whether it is met. */
export function isMarkable({ name, check }: SessionGateRule): boolean {
  return check === null && name !== ASKED
}

/** The built-in gate that is met by a question. */
export const ASKED = 'decision'

/** Whether the agent has asked a person anything since its session began or last came to rest. */
export function isAskedThisTurn(ctx: Context, agent: string, session: Session | undefined): Promise<boolean> {
  const since = Math.max(session?.startedAt ?? 0, session?.stoppedAt ?? 0)
  return ctx.store.read.decisions.hasAsked({ agent, since })
}
