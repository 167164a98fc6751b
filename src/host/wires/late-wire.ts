import type { Wire } from '../../wires/wire.ts'

/** A wire that is opened by the first who listens. Until then nobody is rung through it: short programs never connect. */
export function createLateWire(open: () => Wire): Wire {
  let wire: Wire | undefined
  let isClosed = false
  return {
    ring: (names) => wire?.ring(names),
    async listen(names, onRing) {
      if (isClosed) return { close() {} }
      wire ??= open()
      return wire.listen(names, onRing)
    },
    lastRungAt: (name) => wire?.lastRungAt(name),
    async health() {
      return wire?.health() ?? { isUp: true, detail: 'nobody has listened yet' }
    },
    async close() {
      isClosed = true
      await wire?.close()
    },
  }
}
