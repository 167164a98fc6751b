import type { UserHook } from '../host/config/hooks.ts'
import { runCommand } from '../kit/node/run-command.ts'
import { cutToCharacters } from '../kit/pure/cut.ts'
import type { Handler, HookCall, Verdict } from './handler.ts'
import { HOOK_EVENTS, type HookEventName } from './hosts/host.ts'

/**
 * Commands of the user's own, as links of the chain. One that fails or takes too long says nothing. They run in `folder`,
 * or in the root of the session's project.
 */
export function userHandlers(hooks: readonly UserHook[], folder: string | undefined): readonly Handler[] {
  const known = hooks.filter(({ event }) => HOOK_EVENTS.includes(event as HookEventName))
  return known.map((hook) => handlerOf(hook, folder))
}

function handlerOf({ event, priority, command, timeoutMs }: UserHook, folder: string | undefined): Handler {
  return {
    name: `command at ${priority}`,
    priority,
    events: [event as HookEventName],
    async handle(call) {
      const leftMs = call.leftMs() - call.settings.timeouts.reserveMs
      if (leftMs <= 0) return undefined
      const outcome = await runCommand(command, {
        folder: folder ?? call.root,
        timeoutMs: Math.min(timeoutMs, leftMs),
        input: `${JSON.stringify(described(call, folder))}\n`,
        env: { POSTERN_AGENT: call.agent, POSTERN_SESSION: call.event.sessionId },
      })
      const room = Math.min(call.host.maxCharacters, call.limits.drainCharacters) - call.used
      return outcome.exitCode === 0 ? parseVerdict(outcome.output, room) : undefined
    },
  }
}

function described({ event, host, agent, root }: HookCall, folder = root) {
  const { name, sessionId, tool, source } = event
  return {
    event: name,
    session_id: sessionId,
    agent,
    host: host.name,
    project: folder,
    tool: tool?.name ?? null,
    source,
  }
}

const TEXTS = ['block', 'context', 'notice'] as const

/** JSON with a context, a block or a notice, as far as there is room; anything else on its output is for nobody. */
function parseVerdict(output: string, room: number): Verdict | undefined {
  let said: unknown
  try {
    said = JSON.parse(output)
  } catch {
    return undefined
  }
  if (typeof said !== 'object' || said === null) return undefined
  const texts: [string, string][] = []
  let left = room
  for (const name of TEXTS) {
    const text = (said as Readonly<Record<string, unknown>>)[name]
    if (typeof text !== 'string' || text === '') continue
    texts.push([name, cut(text, left)])
    left -= text.length
  }
  return texts.length === 0 ? undefined : Object.fromEntries(texts)
}

/** What holds is never lost for want of room: some of it is always said. */
const LEAST_CHARACTERS = 200

function cut(text: string, room: number): string {
  return cutToCharacters(text.toWellFormed(), Math.max(LEAST_CHARACTERS, room))
}
