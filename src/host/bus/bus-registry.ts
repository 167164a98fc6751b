import { openBusShelf } from '../../bus/file-bus-shelf.ts'
import type { BusRegistry } from '../../core/context.ts'
import type { OpenOptions } from '../context.ts'
import { findBus } from './bus-context.ts'
import { readBusSettings } from './settings.ts'

const NOTHING_SET = { bus: {}, origins: {}, home: '' }

/** The files of the buses, for the heart. A part of its own, loaded only where one is touched. */
export function openBusRegistry({ config, bus, isShared, now }: OpenOptions): BusRegistry {
  const settings = { ...(bus ?? readBusSettings(config ?? NOTHING_SET)), ...(now && { now }) }
  const shelf = openBusShelf(settings)
  let isClosed = false
  // Whoever follows a bus looks again and again, and must be told that there is an end.
  const requireOpen = () => {
    if (isClosed) throw new Error('this Postern is closed')
  }
  return {
    append: (place, draft) => shelf.append(place, draft),
    check: (draft) => shelf.check(draft),
    async read(place, query) {
      requireOpen()
      return shelf.read(place, query)
    },
    async readOn(place, query) {
      requireOpen()
      return shelf.readOn(place, query)
    },
    find: (place, msgId) => shelf.find(place, msgId),
    changed: (places, options) => shelf.changed(places, options),
    lastId: (place) => shelf.lastId(place),
    list: () => shelf.list(),
    verify: (place) => shelf.verify(place),
    rotate: (place, options) => shelf.rotate(place, options),
    keep: (place, file) => shelf.keep(place, file),
    attached: (place, path) => shelf.attached(place, path),
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
    close() {
      isClosed = true
      shelf.close()
    },
  }
}
