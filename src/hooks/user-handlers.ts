import type { UserHook } from '../host/user-hooks.ts'
import { runCommand } from '../kit/node/run-command.ts'
import type { Handler, HookCall, Verdict } from './handler.ts'
import { HOOK_EVENTS, type HookEventName } from './hosts/host.ts'

/** Commands of the user's own, as links of the chain. One that fails or takes too long says nothing. */
export function userHandlers(hooks: readonly UserHook[]): readonly Handler[] {
  return hooks.filter(({ event }) => HOOK_EVENTS.includes(event as HookEventName)).map(handlerOf)
}

function handlerOf({ event, priority, command, timeoutMs }: UserHook): Handler {
  return {
    name: `command at ${priority}`,
    priority,
    events: [event as HookEventName],
    async handle(call) {
      const outcome = await runCommand(command, {
        folder: call.root,
        timeoutMs: Math.max(1, Math.min(timeoutMs, call.leftMs())),
        input: `${JSON.stringify(described(call))}\n`,
        env: { POSTERN_AGENT: call.agent, POSTERN_SESSION: call.event.sessionId },
      })
      return outcome.exitCode === 0 ? parseVerdict(outcome.output) : undefined
    },
  }
}

function described({ event, host, agent, root }: HookCall) {
  const { name, sessionId, tool, source } = event
  return { event: name, session_id: sessionId, agent, host: host.name, project: root, tool: tool?.name ?? null, source }
}

const TEXTS = ['context', 'block', 'notice'] as const

/** JSON with a context, a block or a notice; anything else on its output is for nobody. */
function parseVerdict(output: string): Verdict | undefined {
  let said: unknown
  try {
    said = JSON.parse(output)
  } catch {
    return undefined
  }
  if (typeof said !== 'object' || said === null) return undefined
  const texts = TEXTS.flatMap((name) => {
    const text = (said as Readonly<Record<string, unknown>>)[name]
    return typeof text === 'string' && text !== '' ? [[name, text] as const] : []
  })
  return texts.length === 0 ? undefined : Object.fromEntries(texts)
}
