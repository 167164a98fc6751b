import { PosternError } from '../model/errors.ts'
import type { SessionGateRule } from '../model/gate.ts'
import { type Config, type ConfigSources, readConfig } from './config.ts'
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

/** The configuration of a folder. A project's file that cannot be used counts for nothing: it must not switch gates off. */
export function readFolderConfig(sources: ConfigSources, note: (error: unknown) => void): Config {
  try {
    return readConfig(sources)
  } catch (error) {
    const config = readConfig({ ...sources, cwd: '/' })
    note(error)
    return config
  }
}

/** How a server of this configuration reads that of other folders: what it was told by words stays as it was told. */
export function folderSources({ home, store, origins }: Config, folder: string): ConfigSources {
  const isTold = origins['store'] === '--store' || origins['store'] === 'POSTERN_STORE'
  return { flags: { home, ...(isTold && { store }) }, env: {}, cwd: folder }
}
