import { openBusShelf } from '../../bus/file-bus-shelf.ts'
import type { BusRegistry } from '../../core/context.ts'
import { BUS } from '../config/bus.ts'
import { defaultConfig } from '../config/config.ts'
import type { OpenOptions } from '../open/context.ts'
import { findBus } from './bus-context.ts'
import { createMacKeys } from './mac-keys.ts'

/**
 * Opens the buses of this machine for the heart. A part of its own, loaded only by commands that touch a bus. The key for
 * the MACs of entries comes from `keyFolder`, or from the user's home.
 */
export function openBusRegistry(options: OpenOptions, keyFolder?: string): BusRegistry {
  const { config = defaultConfig(), bus, isShared, now, note = () => {} } = options
  const settings = { ...(bus ?? config.get(BUS)), ...(now && { now }), macKeys: createMacKeys(keyFolder, note) }
  const shelf = openBusShelf(settings)
  return {
    shelf,
    async around(folder, look) {
      // The environment of a server is not that of the work which it is told of.
      const env = isShared ? {} : process.env
      const found = findBus({ flags: {}, env, cwd: folder ?? '/', root: settings.root })
      if (!found) return undefined
      const own = openBusShelf({ ...settings, files: found.files })
      try {
        return await look(own, found.place)
      } finally {
        own.close()
      }
    },
    close: () => shelf.close(),
  }
}
