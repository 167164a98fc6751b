import { type Config, type ConfigSources, readConfig } from './config.ts'
import { VARIABLES } from './variables.ts'

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

/** How a server of this configuration reads that of other folders: the store that words named stays the same. */
export function folderSources(config: Config, folder: string): ConfigSources {
  const { home, store } = config
  return { flags: { home, ...(isStoreNamed(config) && { store }) }, env: {}, cwd: folder }
}

/** Whether a flag or the environment names the store, and no file. */
export function isStoreNamed({ origins }: Pick<Config, 'origins'>): boolean {
  return origins.store === '--store' || origins.store === VARIABLES.store
}
