import type { Context } from '../../core/context.ts'
import { createPostern } from '../../core/postern.ts'
import type { LocalPostern } from '../../model/postern.ts'
import type { Config } from '../config/config.ts'
import { folderSources, readFolderConfig } from '../config/folder-config.ts'
import { GATES } from '../config/gates.ts'
import { createQuietLook, type QuietLook } from './quiet-look.ts'

/** What a server has for the hooks of hosts that are posted to it. */
export interface Hooked {
  readonly home: string
  /** The store that it answers for. */
  readonly store: string
  /** Whether an event that can only deliver certainly has nothing to deliver. */
  readonly look: QuietLook
  readonly sessions: LocalPostern['sessions']
  /** Registers a session that no hook has begun: a creation of the agent whose token posts it, and counted as such. */
  begin(session: { readonly id: string; readonly agent: string }): Promise<unknown>
  /** As it is for a folder now. */
  readConfig(folder: string, note: (error: unknown) => void): Config
  /** A Postern under the limits and gates of a folder's configuration. Closing it closes nothing. */
  open(config: Config): LocalPostern
}

export function createHooked(ctx: Context, config: Config): Hooked {
  const { home, store } = config
  return {
    home,
    store,
    look: createQuietLook(config),
    sessions: createPostern(ctx, async () => {}).sessions,
    begin(session) {
      const caller = { id: session.agent, kind: 'ai', verified: true, via: 'http' } as const
      return createPostern({ ...ctx, caller }, async () => {}).sessions.begin(session)
    },
    readConfig: (folder, note) => readFolderConfig(folderSources(config, folder), note),
    open: (own) => createPostern({ ...ctx, limits: own.limits, sessionGates: own.get(GATES) }, async () => {}),
  }
}
