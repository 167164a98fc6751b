import type { Context } from '../../core/context.ts'
import { createPostern } from '../../core/postern.ts'
import type { LocalPostern } from '../../model/postern.ts'
import type { Config } from '../config/config.ts'
import { folderSources, type HookConfig, readFolderConfig } from '../config/hook-config.ts'
import { createQuietLook, type QuietLook } from './quiet-look.ts'

/** What a server has for the hooks of hosts that are posted to it. */
export interface Hooked {
  readonly home: string
  /** The store that it answers for. */
  readonly store: string
  /** Whether an event that can only deliver certainly has nothing to deliver. */
  readonly look: QuietLook
  /** As it is for a folder now. */
  readConfig(folder: string, note: (error: unknown) => void): Config
  /** A Postern under the rules of a folder. Closing it closes nothing. */
  open(rules: Pick<Config, 'limits'> & Pick<HookConfig, 'sessionGates'>): LocalPostern
}

export function createHooked(ctx: Context, config: Config): Hooked {
  const { home, store } = config
  return {
    home,
    store,
    look: createQuietLook(config),
    readConfig: (folder, note) => readFolderConfig(folderSources(config, folder), note),
    open: ({ limits, sessionGates }) => createPostern({ ...ctx, limits, sessionGates }, async () => {}),
  }
}
