import { HARVEST } from '../../model/gate.ts'
import type { Handler, HookCall } from '../handler.ts'

/** Where the agent is asked to leave something for the next session, tells it what, and how. The gate behind it asks once. */
export const harvest: Handler = {
  name: 'harvest',
  priority: 17,
  events: ['turn.stop'],

  async handle(call) {
    if (call.isLoopBroken || !call.host.injects.includes('turn.stop')) return undefined
    const { strict, soft } = await call.judgement()
    const found = [...strict, ...soft].find(({ name, isDurable }) => name === HARVEST && !isDurable)
    return found && { context: describe(call, strict.includes(found)) }
  },
}

function describe({ event }: HookCall, isHeld: boolean): string {
  const session = nameable(event.sessionId)
  const done = isHeld ? ` and say so: postern gate mark ${HARVEST} --session ${session ?? '<session>'}` : ''
  return `◈ HARVEST
Leave for the next session what it could not know otherwise, each as an item of its own:
  learning: a key insight that future sessions need
  caution: a problem that was found
  thread: open work that somebody has to pick up
  context: only if continuation is likely
No general notes. Would a future session thank you for this item? If not, leave nothing: that is fine${done}.
  postern handoff leave --type learning --priority high${session === undefined ? '' : ` --session ${session}`} "…"`
}

/** Ids come from hosts. What a shell would take for more than a word is not put into a command. */
function nameable(sessionId: string): string | undefined {
  return /^[\w.:-]+$/.test(sessionId) ? sessionId : undefined
}
