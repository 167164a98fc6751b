import { type Config, type ConfigSources, readConfig } from './config.ts'
import { VARIABLES } from './variables.ts'

/** Reads the configuration of a folder. A broken project file is noted and ignored, so that it cannot switch gates off. */
export function readFolderConfig(sources: ConfigSources, note: (error: unknown) => void): Config {
  try {
    return readConfig(sources)
  } catch (error) {
    const config = readConfig({ ...sources, cwd: '/' })
    note(error)
    return config
  }
}

/** The sources by which a server reads the configuration of another folder. A store that was named explicitly stays. */
export function folderSources(config: Config, folder: string): ConfigSources {
  const { home, store } = config
  return { flags: { home, ...(isStoreNamed(config) && { store }) }, env: {}, cwd: folder }
}

/** Whether a flag or the environment names the store, rather than a file or the default. */
export function isStoreNamed({ origins }: Pick<Config, 'origins'>): boolean {
  return origins.store === '--store' || origins.store === VARIABLES.store
}
