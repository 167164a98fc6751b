import { PosternError } from '../../model/errors.ts'
import { HARVEST, type SessionGateRule } from '../../model/gate.ts'
import { HANDOFF_LIMITS } from '../../model/handoff/item.ts'
import { type Config, type ConfigSources, readConfig } from './config.ts'
import { parseSessionGates, withHarvest } from './gates.ts'
import { parseUserHooks, type UserHook } from './hooks.ts'

/** What a configuration says about gates and hooks; apart from the rest, because few commands need it. */
export interface HookConfig {
  readonly sessionGates: readonly SessionGateRule[]
  readonly userHooks: readonly UserHook[]
  readonly handoff: HandoffRules
}

/** As much as a hook must know of the handoff before it loads it. */
export interface HandoffRules {
  readonly maxTokens: number
  /** The folders may lie at the root of another checkout than the session's. */
  readonly isShared: boolean
}

export function readHookConfig({
  gates,
  hooks,
  handoff,
  origins,
  home,
}: Pick<Config, 'gates' | 'hooks' | 'handoff' | 'origins' | 'home'>): HookConfig {
  try {
    const sessionGates = parseSessionGates(withHarvest(gates, handoff[HARVEST]))
    return { sessionGates, userHooks: parseUserHooks(hooks), handoff: handoffRules(handoff) }
  } catch (error) {
    const named = [...Object.keys(gates).map((name) => `gates.${name}`), `handoff.${HARVEST}`]
      .map((name) => origins[name])
      .filter((origin) => origin !== undefined)
    throw new PosternError('CONFIG_INVALID', {
      path: [...new Set(named)].join(', ') || home,
      reason: (error as Error).message,
    })
  }
}

/** What is not valid is refused where it is used. */
function handoffRules({ maxTokens, shared }: Config['handoff']): HandoffRules {
  const isCount = typeof maxTokens === 'number' && maxTokens >= 1
  return { maxTokens: isCount ? maxTokens : HANDOFF_LIMITS.maxTokens, isShared: shared === true }
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
