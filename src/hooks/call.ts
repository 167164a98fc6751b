import type { LocalPostern } from '../model/postern.ts'
import type { HookCall, HookSettings } from './handler.ts'
import type { HookEvent, Host } from './hosts/host.ts'

export type SoundEvent = HookEvent & { readonly sessionId: string }

export interface CallParams {
  readonly event: SoundEvent
  readonly host: Host
  readonly agent: string
  readonly postern: LocalPostern
  readonly settings: HookSettings
  readonly limits: HookCall['limits']
  readonly handoff: HookCall['handoff']
  readonly root: string
  readonly home: HookCall['home']
  readonly isForeign?: true
  readonly note: HookCall['note']
  readonly uncounted: number
  readonly counted: number
}

/** Begins the way of one event through the chain. */
export function createCall(params: CallParams): HookCall {
  const { event, agent, postern, settings } = params
  const { answerMs, checksMs, reserveMs } = settings.timeouts
  const leftMs = () => answerMs - settings.ageMs()
  let judged: ReturnType<HookCall['judgement']> | undefined
  const call: HookCall = {
    ...params,
    session: undefined,
    refusal: undefined,
    begunAt: null,
    isOver: false,
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
    return postern.hooks.judge({
      agent,
      sessionId: event.sessionId,
      hook: event.name === 'tool.before' ? 'tool' : 'stop',
      ...(event.tool && { tool: event.tool.name }),
      timeoutMs: Math.max(1, Math.min(checksMs, leftMs() - reserveMs)),
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
