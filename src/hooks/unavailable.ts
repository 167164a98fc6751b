import { type Shadow, withPasses } from '../host/shadow.ts'
import { concernsTool } from '../model/gate.ts'
import type { StandingGate } from '../model/gates.ts'
import type { HookAnswer, HookEvent } from './hosts/host.ts'
import { quoteGates } from './reasons.ts'
import { stopLimit } from './stop-limit.ts'

/** While the store cannot be read the end of a turn is put off no more often than this. */
export const MAX_BLOCKS = 3

export interface Absence {
  /** Why the store cannot be read, as a code. */
  readonly why: string
  readonly now: number
  /** For the fence around the reasons of gates. */
  readonly nonce: string
  /** After so many continued stops in a row the host ends the turn by itself; null where it never does. */
  readonly stopCap: number | null
  /** The answer shows something besides, which at a stop continues the turn too. */
  readonly showsCopies: boolean
}

export interface Fallback {
  readonly answer: HookAnswer
  /** The shadow as it is from now on. */
  readonly shadow: Shadow
}

/** Whether this event may still be held: a tool always, the end of a turn a few times. */
export function mayHold({ name }: HookEvent, { blocks, counted }: Shadow, stopCap: number | null): boolean {
  return name !== 'turn.stop' || (blocks < MAX_BLOCKS && counted + blocks < stopLimit(stopCap))
}

/**
 * The answer while the store cannot be read: a strict gate blocks, at a stop three times at most, unless it was made to
 * allow; a soft one warns once. Every pass is remembered, so that the store and a person can be told later; nobody is
 * held for ever.
 */
export function answerWithoutStore(event: HookEvent, shadow: Shadow, absence: Absence): Fallback {
  const { why, now, nonce, stopCap, showsCopies } = absence
  const gates = shadow.gates.filter((gate) => concerns(gate, event, now))
  const soft = gates.filter(({ mode }) => mode === 'soft')
  const strict = gates.filter(({ mode }) => mode === 'strict')
  const blocking = strict.filter(({ onUnavailable }) => onUnavailable === 'block')
  const holds = blocking.length > 0 && mayHold(event, shadow, stopCap)
  const passed = holds ? strict.filter((gate) => !blocking.includes(gate)) : strict
  const isStop = event.name === 'turn.stop' && !event.isSubagent
  const isContinued = holds || showsCopies
  const left = event.name === 'session.end' ? leftOpen(shadow, now) : []
  return {
    answer: {
      ...(holds && { block: quoteGates({ heading: heading(why), gates: blocking, nonce }) }),
      ...(passed.length + soft.length > 0 && { notice: notice(why, passed, soft) }),
    },
    shadow: withPasses(
      {
        ...shadow,
        gates: shadow.gates.filter((gate) => !soft.includes(gate)),
        ...(isStop && (isContinued ? { blocks: shadow.blocks + 1 } : { blocks: 0, counted: 0 })),
      },
      [...passed, ...left].map(({ name }) => name),
    ),
  }
}

/** Strict gates that are still open at the end of a session that they held: the host has ignored our answer. */
function leftOpen({ gates, blocks, counted }: Shadow, now: number): readonly StandingGate[] {
  if (blocks + counted === 0) return []
  return gates.filter((gate) => gate.mode === 'strict' && gate.hook === 'stop' && !isExpired(gate, now))
}

/** A gate that waits for nothing but time is over when that is, whether the store could say so or not. */
function isExpired({ until }: StandingGate, now: number): boolean {
  return until !== null && until <= now
}

/** Whether a gate may hold the agent at an event. */
export function concerns(gate: StandingGate, { name, tool, isSubagent }: HookEvent, now: number): boolean {
  if (isExpired(gate, now)) return false
  if (name === 'turn.stop') return gate.hook === 'stop' && !isSubagent
  return name === 'tool.before' && gate.hook === 'tool' && concernsTool(gate, tool?.name ?? '')
}

function heading(why: string): string {
  return `Postern cannot read its store (${why}). When it last could, these gates were open:`
}

function notice(why: string, passed: readonly StandingGate[], soft: readonly StandingGate[]): string {
  const parts = [
    ...(passed.length === 0 ? [] : [`${names(passed)} passed without leave, of which people will be told`]),
    ...(soft.length === 0 ? [] : [`${names(soft)} not checked`]),
  ]
  return `Postern cannot read its store (${why}): ${parts.join('; ')}. See "postern doctor".`
}

function names(gates: readonly StandingGate[]): string {
  const listed = gates.map(({ name }) => name).join(', ')
  return gates.length === 1 ? `the gate ${listed} was` : `the gates ${listed} were`
}
