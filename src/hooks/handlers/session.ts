import type { Handler, HookCall } from '../handler.ts'
import { HOOK_EVENTS } from '../hosts/host.ts'

/** Registers the session, notes that it lives, and confirms what it was shown before this event began. */
export const session: Handler = {
  name: 'session',
  priority: 5,
  events: HOOK_EVENTS,

  async handle(call) {
    const { event, postern, settings, host, agent, root } = call
    // What happens in a subagent says nothing about what the agent itself has read, and its end ends no turn.
    if (event.isSubagent) {
      await noteSubagent(call)
      return event.name === 'turn.stop' ? { isFinal: true } : undefined
    }
    if (event.name === 'session.end') return end(call)
    const begins = event.name === 'session.start'
    const process = begins ? settings.hostProcess() : undefined
    const starter = process ? undefined : settings.starter()
    const { session, isRepeated, begunAt } = await postern.sessions.note({
      id: event.sessionId,
      agent,
      host: host.name,
      event: noted(call),
      project: root,
      ageMs: settings.ageMs(),
      // What was shown since the model last answered goes to the summariser there, and to nobody else.
      ...(event.name === 'compact.before' && !host.keepsContextWhenCompacting && { loses: true }),
      ...(process && { pid: process.pid, pidStartedAt: process.startedAt }),
      ...(starter && { starterPid: starter.pid, starterStartedAt: starter.startedAt }),
      ...(event.firing !== null && { firing: event.firing }),
      ...(call.uncounted > 0 && { minContinuations: call.counted + call.uncounted }),
    })
    call.root = session.project ?? root
    // A tool that is held is held however often it is asked for.
    if (isRepeated) return event.name === 'tool.before' ? undefined : { isFinal: true }
    call.uncounted = 0
    call.session = session
    call.begunAt = begunAt
    return undefined
  },
}

/** Its hooks leave traces that might be a new turn's, and nobody wakes the session then: now it is known whose. */
async function noteSubagent({ event: { sessionId: id }, postern, agent }: HookCall): Promise<void> {
  const isKnown = (await postern.sessions.list({ agent, id })).length > 0
  if (isKnown) await postern.sessions.note({ id, agent, event: 'subagent' })
}

/**
 * Where a continued stop comes back as a prompt, nobody can tell whether a prompt begins a turn: there the count goes on
 * until a stop is granted. The same holds for a prompt that was posted, because the held agent can post one itself. And a
 * compaction sends nobody to rest.
 */
function noted({ event, host, settings }: HookCall): string {
  if (event.name === 'prompt.submit' && (host.continuesAsPrompt || settings.isPosted)) return 'prompt.continued'
  if (event.name === 'session.start' && event.source === 'compact') return 'session.compacted'
  return event.name
}

/** A host that ends a session while its turn was being held has gone against our answer. */
async function end(call: HookCall): Promise<undefined> {
  const { event, postern, agent, uncounted } = call
  const { sessionId } = event
  const [known] = await postern.sessions.list({ agent, id: sessionId })
  if (!known) return
  call.root = known.project ?? call.root
  const held = known.continuations + uncounted > 0 ? (await call.judgement()).strict : []
  const names = held.map(({ name }) => name)
  const evidence = 'the host ended the session although the gate was open'
  if (names.length > 0) await postern.hooks.passed({ agent, sessionId, outcome: 'breached', names, evidence })
  await postern.sessions.end({ id: sessionId })
}
