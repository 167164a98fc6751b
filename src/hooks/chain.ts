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
import { isRefusal } from './refusal.ts'
import { giveBack } from './shown.ts'

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
  /** Runs once the answer is printed. */
  readonly notes: readonly (() => void)[]
}

/**
 * Asks one handler after another, lowest first, and makes one answer of what they say. Whether the turn goes on is
 * written down before anybody hears of it, so that a hook that dies now has counted once too often, never too rarely.
 * After the deadline the stop is answered and counted without the store, so the chain asks no further handler and counts
 * nothing. What fails after something was said takes none of that away.
 */
export async function runChain(call: HookCall, others: readonly Handler[] = []): Promise<ChainAnswer> {
  const said: Verdict[] = []
  try {
    await askAll(call, inOrder([...HANDLERS, ...others]), said)
  } catch (error) {
    // Not awaited: the fallback answer is due.
    giveBack(call, merge(said), 'the store failed before the answer was made').catch(() => {})
    throw error
  }
  const answer = merge(said)
  if (call.event.name === 'turn.stop' && !call.event.isSubagent && !call.isOver) await countStop(call, answer)
  return answer
}

/** Adds what each handler says to `said`. */
async function askAll(call: HookCall, handlers: readonly Handler[], said: Verdict[]): Promise<void> {
  for (const handler of handlers) {
    if (call.isOver) return
    if (!handler.events.includes(call.event.name)) continue
    const verdict = await ask(call, handler, said.length > 0)
    if (!verdict) continue
    said.push(verdict)
    const text = `${verdict.context ?? ''}${verdict.block ?? ''}`
    call.used += text.length
    call.usedTokens += estimateTokens(text)
    if (verdict.isFinal) return
  }
}

/** A refusal is not an absence: the next handlers have their say. Neither is a store that fails once something was said. */
async function ask(call: HookCall, handler: Handler, hasSaid: boolean): Promise<Verdict | undefined> {
  if (call.refusal && handler.needsSession) return undefined
  try {
    return await heed(call, handler, await handler.handle(call))
  } catch (error) {
    // Without the judgement of the gates there is no verdict: the shadow holds then.
    if (handler !== gates && isRefusal(error)) return (await import('./refused.ts')).meetRefusal(call, handler, error)
    if (handler === gates || !hasSaid) throw error
    call.note(error)
    return undefined
  }
}

/** A stop that the store cannot count is counted beside it, like those that are put off without the store. */
async function countStop(call: HookCall, answer: ChainAnswer): Promise<void> {
  // Another hook has answered this very stop.
  if (!call.session && !call.refusal) return
  const outcome = outcomeOf(call, answer)
  try {
    if (call.session) {
      const stop = { id: call.session.id, outcome, ageMs: call.settings.ageMs() }
      call.session = await call.postern.sessions.setStop(stop)
      return
    }
  } catch (error) {
    call.note(error)
    if (call.isOver) return
  }
  if (outcome === 'continued') call.uncounted++
  else [call.uncounted, call.counted] = [0, 0]
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
    notes: said.flatMap(({ noteShown }) => noteShown ?? []),
  }
}
