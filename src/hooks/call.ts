import type { HookPostern } from '../model/postern.ts'
import type { HookCall, HookSettings } from './handler.ts'
import type { HookEvent, Host } from './hosts/host.ts'

/** Our own deadline, far below any host's: an answer that comes too late is thrown away with what it shows. */
export const DEADLINE_MS = 1_500

/** Commands of gates share what a stop can wait for. */
const CHECK_MS = 900

/** Kept for everything that comes after a command. */
export const RESERVE_MS = 300

export type SoundEvent = HookEvent & { readonly sessionId: string }

export interface CallParams {
  readonly event: SoundEvent
  readonly host: Host
  readonly agent: string
  readonly postern: HookPostern
  readonly settings: HookSettings
  readonly limits: HookCall['limits']
  readonly handoff: HookCall['handoff']
  readonly root: string
  readonly note: HookCall['note']
}

/** Begins the way of one event through the chain. */
export function createCall(params: CallParams): HookCall {
  const { event, agent, postern, settings } = params
  const leftMs = () => DEADLINE_MS - settings.ageMs()
  let judged: ReturnType<HookCall['judgement']> | undefined
  const call: HookCall = {
    ...params,
    session: undefined,
    isLoopBroken: false,
    used: 0,
    usedTokens: 0,
    leftMs,
    judgement() {
      judged ??= judge()
      return judged
    },
  }
  return call

  async function judge() {
    await takeHints(call)
    return postern.gates.judge({
      agent,
      sessionId: event.sessionId,
      hook: event.name === 'tool.before' ? 'tool' : 'stop',
      ...(event.tool && { tool: event.tool.name }),
      timeoutMs: Math.max(1, Math.min(CHECK_MS, leftMs() - RESERVE_MS)),
    })
  }
}

/** Markers that the agent left are hints: the store keeps the state, and a gate with a command is judged by that alone. */
async function takeHints({ postern, event, settings, root }: HookCall): Promise<void> {
  for (const name of settings.markers(root, event.sessionId)) {
    // A marker for a gate that does not exist marks nothing.
    await postern.gates.mark({ sessionId: event.sessionId, name }).catch(() => {})
  }
}
