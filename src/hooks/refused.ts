import type { PosternError } from '../model/errors.ts'
import type { Handler, HookCall, Verdict } from './handler.ts'
import { isNews } from './shadows.ts'
import { stopLimit } from './stop-limit.ts'

/**
 * The store refuses what a handler asks. If it refuses the session, because that belongs to another agent, the gates are
 * judged and the mail is shown without the session. The session stays with its agent, whose mail may lie in its spool.
 */
export async function meetRefusal(call: HookCall, handler: Handler, error: PosternError): Promise<Verdict | undefined> {
  if (handler.name === 'session') return goWithout(call, error)
  if (error.code !== call.refusal?.code) call.note(error)
  return undefined
}

function goWithout(call: HookCall, error: PosternError): Verdict | undefined {
  const { event, host, settings, agent } = call
  call.note(error)
  call.refusal = error
  // A turn begins: what was put off before it counts no more.
  if (begins(call)) [call.uncounted, call.counted] = [0, 0]
  const isStop = event.name === 'turn.stop'
  if (isStop && event.isSubagent) return { isFinal: true }
  if (isStop) call.isLoopBroken = call.uncounted + call.counted >= stopLimit(settings.stopCap)
  if (!isNewsOf(call, error.code)) return undefined
  return { notice: `Postern serves ${agent} without a session in ${host.name}: ${error.message} ${error.next}` }
}

function begins({ event: { name, source }, host }: HookCall): boolean {
  return name === 'prompt.submit' ? !host.continuesAsPrompt : name === 'session.start' && source !== 'compact'
}

/** The host is told once in a session. */
function isNewsOf({ home, agent, event }: HookCall, what: string): boolean {
  return home !== null && isNews(home, { agent, sessionId: event.sessionId }, what)
}
