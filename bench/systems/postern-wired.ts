import { join } from 'node:path'
import { readConfig } from '../../src/host/config/config.ts'
import { openPostern } from '../../src/host/open/open.ts'
import { openServed, type Served } from '../../src/host/serving/serve.ts'
import { formatSpoolCopy } from '../../src/spool/message-copy.ts'
import { createNatsWire } from '../../src/wires/nats/nats-wire.ts'
import { agentName, asSystem, limitsFor } from './postern.ts'
import type { Body, OpenSystem, SystemOptions } from './system.ts'

/**
 * Postern as its server pushes: stored on the disk, then relayed to an engine. The agent in another process takes the copy
 * that was carried; where the engine only rings, it looks into the store.
 */
export function openWired(isCarried: boolean): OpenSystem {
  return async (place, options = {}) => {
    const [folder = '', url = ''] = place.split('#')
    let served: Promise<Served> | undefined
    const pushing = async () => {
      served ??= serve(folder, url, options)
      return asSystem((await served).postern, options)
    }
    let system: ReturnType<typeof pushing> | undefined
    const sender = () => {
      system ??= pushing()
      return system
    }
    return {
      push: async (body) => (await sender()).push(body),
      pushMany: async (bodies) => (await sender()).pushMany(bodies),
      listen: (onBody) => (isCarried ? takeCopies(url, onBody) : lookWhenRung(folder, url, onBody, options)),
      close: async () => (await served)?.close(),
    }
  }
}

export function serve(folder: string, wire: string | undefined, options: SystemOptions = {}): Promise<Served> {
  const env = wire === undefined ? {} : { POSTERN_WIRE: wire }
  const config = readConfig({ flags: { home: folder }, env, cwd: folder })
  return openServed(config, { upkeep: false, limits: limitsFor(options) })
}

async function takeCopies(url: string, onBody: (body: Body) => void): Promise<void> {
  const wire = createNatsWire({ url, format: formatSpoolCopy, note: () => {}, random: Math.random })
  await wire.take?.(agentName(0), async (line) => {
    onBody(JSON.parse((JSON.parse(line) as { readonly content: string }).content) as Body)
  })
}

async function lookWhenRung(
  folder: string,
  url: string,
  onBody: (body: Body) => void,
  options: SystemOptions,
): Promise<void> {
  const postern = await openPostern({
    store: join(folder, 'postern.db'),
    home: folder,
    wire: url,
    upkeep: false,
    limits: limitsFor(options),
  })
  await (await asSystem(postern, options)).listen?.(onBody)
}
