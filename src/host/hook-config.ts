import { PosternError } from '../model/errors.ts'
import type { SessionGateRule } from '../model/gate.ts'
import type { Config } from './config.ts'
import { parseSessionGates } from './session-gates.ts'
import { parseUserHooks, type UserHook } from './user-hooks.ts'

/** What a configuration says about gates and hooks; apart from the rest, because few commands need it. */
export interface HookConfig {
  readonly sessionGates: readonly SessionGateRule[]
  readonly userHooks: readonly UserHook[]
}

export function readHookConfig({ gates, hooks, origins, home }: Config): HookConfig {
  try {
    return { sessionGates: parseSessionGates(gates), userHooks: parseUserHooks(hooks) }
  } catch (error) {
    const named = Object.keys(gates).map((name) => origins[`gates.${name}`])
    throw new PosternError('CONFIG_INVALID', {
      path: [...new Set(named)].join(', ') || home,
      reason: (error as Error).message,
    })
  }
}
