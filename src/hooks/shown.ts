import type { UserHook } from '../host/config/hooks.ts'
import type { ChainAnswer } from './chain.ts'
import type { HookCall, Verdict } from './handler.ts'
import type { HookEventName } from './hosts/host.ts'

/** The host has the whole answer: what it shows was printed, and those that it warns of have been. */
export async function noteShown({ postern, event, agent, refusal }: HookCall, answer: ChainAnswer): Promise<void> {
  const { offer, inheritance, warned, notes } = answer
  for (const note of notes) note()
  // Without a session no later event says that the mail was read.
  if (offer && refusal) await postern.inbox.confirm({ offerId: offer.id, printed: true, evidence: 'its host took it' })
  else if (offer) await postern.inbox.printed({ offerId: offer.id })
  if (inheritance !== undefined) await postern.handoff.printed({ id: inheritance })
  if (warned.length === 0) return
  const evidence = `at ${event.hostEvent}`
  await postern.hooks.passed({ agent, sessionId: event.sessionId, outcome: 'warned', names: warned, evidence })
}

/** The host has not seen the answer, so what it shows is shown again. */
export async function giveBack(
  { postern }: HookCall,
  { offer, inheritance }: Pick<Verdict, 'offer' | 'inheritance'>,
  reason: string,
): Promise<void> {
  if (offer) await postern.inbox.release({ offerId: offer.id, reason })
  if (inheritance !== undefined) await postern.handoff.release({ id: inheritance, reason })
}

/** Events at which nobody waits for the next step of a turn. */
const AT_REST: readonly HookEventName[] = ['session.start', 'turn.stop', 'session.end']

/**
 * The answer is out. What is left any other command does too. While the user's own commands want to hear of events, the
 * agent is never quiet.
 */
export async function afterwards(
  call: HookCall,
  { offer, inheritance }: ChainAnswer,
  userHooks: readonly UserHook[],
): Promise<void> {
  const { postern, agent, event } = call
  if (AT_REST.includes(event.name) && hasTimeLeft(call)) await postern.upkeep.run()
  const hasShown = offer !== undefined || inheritance !== undefined
  if (!hasShown && event.name !== 'session.end' && userHooks.length === 0) await postern.sessions.markQuiet({ agent })
}

/** The answer took less than half of its time, so the disk is not slow, and the hook can do more than it must. */
export function hasTimeLeft({ settings, leftMs }: HookCall): boolean {
  return leftMs() > settings.timeouts.answerMs / 2
}
