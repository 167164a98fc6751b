import type { Context } from '../core/context.ts'
import { runCommand } from '../kit/node/run-command.ts'
import type { UserHook } from './config/hooks.ts'

/** Runs the commands that wait for an event, one after the other, with what happened as JSON on their standard input. */
export function createAnnouncer(hooks: readonly UserHook[], note: Context['note']): Context['announce'] {
  return async (event, about) => {
    const waiting = hooks.filter((hook) => hook.event === event).sort((a, b) => a.priority - b.priority)
    for (const { command, timeoutMs } of waiting) {
      const input = JSON.stringify({ event, ...about })
      const outcome = await runCommand(command, { folder: null, timeoutMs, input }).catch(String)
      const hasFailed = typeof outcome === 'string' || outcome.exitCode !== 0
      if (hasFailed) note('user-hook.failed', { event, command, outcome })
    }
  }
}
