import type { Finding } from '../../model/gates.ts'
import type { Handler, HookCall, Verdict } from '../handler.ts'

/** Strict gates hold, soft ones warn once. What passes although it was not granted is recorded, and people are told. */
export const gates: Handler = {
  name: 'gates',
  priority: 20,
  events: ['turn.stop', 'tool.before'],

  async handle(call) {
    const { strict, soft: unheard } = await call.judgement()
    const soft = isHeard(call) ? unheard : []
    if (strict.length === 0 && soft.length === 0) return undefined
    if (call.isLoopBroken || !canHold(call)) return letThrough(call, strict)
    await note(call, 'blocked', strict, `at ${call.event.hostEvent}`)
    const { agent, event, settings } = call
    const { quoteGates } = await import('../reasons.ts')
    const quote = (heading: string, gates: readonly Finding[]) =>
      quoteGates({ heading, gates, nonce: settings.nonce() })
    return {
      ...(strict.length > 0 && {
        block: quote(
          `${agent} cannot ${event.name === 'turn.stop' ? 'stop' : 'use this tool'} yet. These gates hold it:`,
          strict,
        ),
      }),
      ...(soft.length > 0 && {
        context: quote(`These gates of ${agent} are not met:`, soft),
        warned: soft.map(({ name }) => name),
      }),
    }
  },
}

/** A warning that the agent does not hear would be one that was never given. */
function isHeard({ event, host }: HookCall): boolean {
  return host.injects.includes(event.name) && !event.isSubagent
}

function canHold({ event, host }: HookCall): boolean {
  return event.name === 'turn.stop' ? host.canBlockStop : host.canDenyTool
}

async function letThrough(call: HookCall, strict: readonly Finding[]): Promise<Verdict | undefined> {
  if (strict.length === 0) return undefined
  await note(call, 'breached', strict, call.isLoopBroken ? brokenLoop(call) : unheld(call))
  return { notice: `Postern let ${call.agent} go on although ${counted(strict.length)} not met; your people are told.` }
}

/** Why the end of a turn is not put off once more. */
export function brokenLoop({ session, host, uncounted, counted }: HookCall): string {
  const times = session?.continuations ?? uncounted + counted
  return times === 0
    ? `${host.name} is set to end a turn however often it is put off`
    : `the end of the turn had been put off ${times === 1 ? 'once' : `${times} times in a row`}`
}

function unheld({ event, host }: HookCall): string {
  return `${host.name} cannot be held at ${event.hostEvent}`
}

async function note(
  { postern, agent, event }: HookCall,
  outcome: 'blocked' | 'breached',
  findings: readonly Finding[],
  evidence: string,
): Promise<void> {
  if (findings.length === 0) return
  const names = findings.map(({ name }) => name)
  await postern.hooks.passed({ agent, sessionId: event.sessionId, outcome, names, evidence })
}

function counted(count: number): string {
  return count === 1 ? 'one gate is' : `${count} gates are`
}
