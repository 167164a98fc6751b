import type { Offer } from '../model/offer.ts'
import type { StopOutcome } from '../model/postern.ts'
import { estimateTokens } from '../render/tokens.ts'
import type { Handler, HookCall, Verdict } from './handler.ts'
import { brokenLoop, gates } from './handlers/gates.ts'
import { harvest } from './handlers/harvest.ts'
import { inbox } from './handlers/inbox.ts'
import { inherit, inheritAtStop } from './handlers/inherit.ts'
import { session } from './handlers/session.ts'
import { stopDecision } from './handlers/stop-decision.ts'
import { stopLoop } from './handlers/stop-loop.ts'
import type { HookAnswer } from './hosts/host.ts'

export const HANDLERS: readonly Handler[] = [
  session,
  inherit,
  stopLoop,
  stopDecision,
  inheritAtStop,
  harvest,
  gates,
  inbox,
]

export interface ChainAnswer extends HookAnswer {
  /** What the answer shows, to be noted as printed once it is out. */
  readonly offer?: Offer
  readonly inheritance?: string
  /** Gates of which it warns, likewise. */
  readonly warned: readonly string[]
}

/**
 * Asks one handler after another, lowest first, and makes one answer of what they say. Whether the turn goes on is
 * written down before anybody hears of it, so that a hook that dies now has counted once too often, never too rarely.
 * After the deadline the stop is answered and counted without the store, so the chain asks no further handler and counts
 * nothing.
 */
export async function runChain(call: HookCall, others: readonly Handler[] = []): Promise<ChainAnswer> {
  const said: Verdict[] = []
  for (const handler of inOrder([...HANDLERS, ...others])) {
    if (call.isOver) break
    if (!handler.events.includes(call.event.name)) continue
    const verdict = await heed(call, handler, await handler.handle(call))
    if (!verdict) continue
    said.push(verdict)
    const text = `${verdict.context ?? ''}${verdict.block ?? ''}`
    call.used += text.length
    call.usedTokens += estimateTokens(text)
    if (verdict.isFinal) break
  }
  const answer = merge(said)
  if (call.event.name === 'turn.stop' && call.session && !call.isOver) {
    const stop = { id: call.session.id, outcome: outcomeOf(call, answer), ageMs: call.settings.ageMs() }
    call.session = await call.postern.sessions.setStop(stop)
  }
  return answer
}

/** Where the end of a turn may not be put off once more, nobody's word does so: that it would have is recorded. */
async function heed(call: HookCall, { name }: Handler, verdict: Verdict | undefined): Promise<Verdict | undefined> {
  if (!verdict || !call.isLoopBroken) return verdict
  const { context: _, block, ...rest } = verdict
  if (block !== undefined) {
    const { agent, event, postern } = call
    const pass = { outcome: 'breached', names: [name], evidence: brokenLoop(call) } as const
    await postern.hooks.passed({ agent, sessionId: event.sessionId, ...pass })
  }
  return rest
}

function outcomeOf({ host, isLoopBroken }: HookCall, { block, context }: ChainAnswer): StopOutcome {
  if (isLoopBroken) return 'released'
  const isHeard = context !== undefined && host.injects.includes('turn.stop')
  return block !== undefined || isHeard ? 'continued' : 'granted'
}

function inOrder(handlers: readonly Handler[]): readonly Handler[] {
  return handlers.toSorted((a, b) => a.priority - b.priority)
}

function merge(said: readonly Verdict[]): ChainAnswer {
  const joined = (name: 'context' | 'block' | 'notice') => {
    const texts = said.flatMap((verdict) => verdict[name] ?? [])
    return texts.length === 0 ? {} : { [name]: texts.join('\n\n') }
  }
  const offer = said.find((verdict) => verdict.offer)?.offer
  const inheritance = said.find((verdict) => verdict.inheritance)?.inheritance
  const warned = said.flatMap((verdict) => verdict.warned ?? [])
  return {
    ...joined('context'),
    ...joined('block'),
    ...joined('notice'),
    ...(offer && { offer }),
    ...(inheritance !== undefined && { inheritance }),
    warned,
  }
}
