import { concernsTool } from '../model/gate.ts'
import type { HookAnswer, HookEvent } from './hosts/host.ts'
import type { Shadow, ShadowGate } from './shadow.ts'

/** While the store cannot be read the end of a turn is put off no more often than this. */
const MAX_BLOCKS = 3

export interface Fallback {
  readonly answer: HookAnswer
  /** The shadow as it is from now on. */
  readonly shadow: Shadow
}

/**
 * The answer while the store cannot be read: a strict gate blocks, at a stop three times at most, unless it was made to
 * allow. Every pass is remembered, so that the store and a person can be told later; nobody is held for ever.
 */
export function answerWithoutStore(event: HookEvent, shadow: Shadow, why: string): Fallback {
  const gates = shadow.gates.filter((gate) => concerns(gate, event))
  if (gates.length === 0) return { answer: {}, shadow }
  const blocking = gates.filter(({ onUnavailable }) => onUnavailable === 'block')
  const isStop = event.name === 'turn.stop'
  const holds = blocking.length > 0 && (!isStop || shadow.blocks < MAX_BLOCKS)
  const passed = holds ? gates.filter((gate) => !blocking.includes(gate)) : gates
  return {
    answer: holds
      ? { block: reasons(blocking, why) }
      : {
          notice: `Postern cannot read its store (${why}); ${passed.length} open gate(s) were passed, and people will be told.`,
        },
    shadow: {
      ...shadow,
      blocks: isStop ? (holds ? shadow.blocks + 1 : 0) : shadow.blocks,
      bypassed: [...new Set([...shadow.bypassed, ...passed.map(({ name }) => name)])],
    },
  }
}

function concerns(gate: ShadowGate, { name, tool }: HookEvent): boolean {
  if (name === 'turn.stop') return gate.hook === 'stop'
  return name === 'tool.before' && gate.hook === 'tool' && concernsTool(gate, tool?.name ?? '')
}

function reasons(gates: readonly ShadowGate[], why: string): string {
  const lines = gates.map(({ name, reason }) => `  - ${name}: ${reason.replace(/\s+/g, ' ')}`)
  return [`Postern cannot read its store (${why}). When it last could, these gates were open:`, ...lines].join('\n')
}
