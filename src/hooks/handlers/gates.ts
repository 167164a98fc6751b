import type { Finding } from '../../model/gates.ts'
import { LINE, neutraliseTo } from '../../render/neutralise.ts'
import type { Handler, HookCall, Verdict } from '../handler.ts'

/** Strict gates hold, soft ones warn once. What passes although it was not granted is recorded, and people are told. */
export const gates: Handler = {
  name: 'gates',
  priority: 20,
  events: ['turn.stop', 'tool.before'],

  async handle(call) {
    await takeHints(call)
    const { strict, soft: unheard } = await call.judgement()
    // A warning where nobody hears it would be one that was never given.
    const soft = call.host.injects.includes(call.event.name) ? unheard : []
    if (strict.length === 0 && soft.length === 0) return undefined
    if (call.isLoopBroken || !canHold(call)) return letThrough(call, strict)
    await note(call, 'blocked', strict, `at ${call.event.hostEvent}`)
    await note(call, 'warned', soft, `at ${call.event.hostEvent}`)
    return {
      ...(strict.length > 0 && { block: listed(call, 'cannot go on yet', strict) }),
      ...(soft.length > 0 && { context: listed(call, 'should know before going on', soft) }),
    }
  },
}

function canHold({ event, host }: HookCall): boolean {
  return event.name === 'turn.stop' ? host.canBlockStop : host.canDenyTool
}

async function letThrough(call: HookCall, strict: readonly Finding[]): Promise<Verdict | undefined> {
  if (strict.length === 0) return undefined
  const evidence = call.isLoopBroken
    ? `the end of the turn had been put off ${call.session?.continuations ?? 0} times in a row`
    : `${call.host.name} cannot be held at ${call.event.hostEvent}`
  await note(call, 'breached', strict, evidence)
  return { notice: `Postern let ${call.agent} go on although ${counted(strict.length)} not met; your people are told.` }
}

async function note(
  { postern, agent, event }: HookCall,
  outcome: 'blocked' | 'warned' | 'breached',
  findings: readonly Finding[],
  evidence: string,
): Promise<void> {
  if (findings.length === 0) return
  const names = findings.map(({ name }) => name)
  await postern.gates.passed({ agent, sessionId: event.sessionId, outcome, names, evidence })
}

/** Markers that the agent left are hints: the store keeps the state, and a gate with a command is judged by that alone. */
async function takeHints({ postern, event, settings, root }: HookCall): Promise<void> {
  for (const name of settings.markers(root, event.sessionId)) {
    // A marker for a gate that does not exist marks nothing.
    await postern.gates.mark({ sessionId: event.sessionId, name }).catch(() => {})
  }
}

const MAX_SHOWN = 10
const REASON_CHARACTERS = 600

/** The reasons are somebody else's words: they cannot pose as anything but lines of this list. */
function listed({ agent }: HookCall, what: string, findings: readonly Finding[]): string {
  const lines = findings.slice(0, MAX_SHOWN).map(({ name, reason }) => `  - ${name}: ${shown(reason)}`)
  const more = findings.length > MAX_SHOWN ? [`  - and ${findings.length - MAX_SHOWN} more: postern gate list`] : []
  return [`${agent} ${what}:`, ...lines, ...more].join('\n')
}

function shown(reason: string): string {
  return neutraliseTo(REASON_CHARACTERS, reason.replace(/\s+/g, ' ').trim(), LINE)
}

function counted(count: number): string {
  return count === 1 ? 'one gate is' : `${count} gates are`
}
