import { readFileSync } from 'node:fs'
import { assemble } from '../../../src/host/open/open.ts'
import { openEmbedded, openPostgres } from '../../../src/host/open/store.ts'
import { PosternError } from '../../../src/model/errors.ts'
import type { Postern } from '../../../src/model/postern.ts'
import type { Plan } from '../../../src/model/sources/plan.ts'
import type { Shelves, Store } from '../../../src/store/store.ts'

/**
 * A server in small: fires what is due until it is killed, by a clock that stands in a file. Run by Node itself. `ready`
 * on its stdout says that it has begun.
 */
async function main([, , store = '', clock = '', plant = '']: readonly string[]): Promise<void> {
  const postern = await openAt({ store, now: () => readClock(clock), isLoose: plant === 'loose' })
  // The first look loads what reads times, which takes longer than most lives.
  await postern.plans.list().catch(requireBusy)
  process.stdout.write('ready\n')
  for (;;) {
    // Another has the store; as a server does, it comes back later.
    await postern.upkeep.run().catch(requireBusy)
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 3))
  }
}

function requireBusy(error: unknown): void {
  if (!(error instanceof PosternError) || error.code !== 'STORE_BUSY') throw error
}

export interface Place {
  readonly store: string
  readonly now: () => number
  readonly isLoose?: boolean
}

export async function openAt({ store: place, now, isLoose = false }: Place): Promise<Postern> {
  const isRemote = place.startsWith('postgres:')
  const { store, wire } = isRemote ? await openPostgres(place) : await openEmbedded(place, { now })
  const timed = { ...ported(store), now, ago: (ms: number) => now() - ms }
  return assemble(isLoose ? loosened(timed) : timed, wire, { upkeep: false, limits: { pendingPerAgent: 1_000_000 } })
}

/** Of one writer and many readers: a torn number is never seen, for it is written in one call. */
export function readClock(path: string): number {
  return Number(readFileSync(path, 'utf8'))
}

function ported(store: Store): Store {
  return {
    engine: store.engine,
    location: store.location,
    hasLost: store.hasLost,
    transact: (verb, options) => store.transact(verb, options),
    single: (call, options) => store.single(call, options),
    push: (params) => store.push(params),
    read: store.read,
    now: () => store.now(),
    ago: (ms) => store.ago(ms),
    check: () => store.check(),
    audit: (params) => store.audit(params),
    verify: () => store.verify(),
    backup: (path) => store.backup(path),
    close: () => store.close(),
  }
}

const LATE_MS = 5

/** The planted fault: a plan's message goes out first, without a key, and its next instant is set afterwards. */
function loosened(store: Store): Store {
  return {
    ...store,
    async transact(verb, options) {
      const later: Plan[] = []
      const done = await store.transact((tx) => {
        later.length = 0
        return verb(loose(tx, later))
      }, options)
      if (later.length > 0) await new Promise((resolve) => setTimeout(resolve, LATE_MS))
      for (const plan of later) await store.transact((tx) => tx.plans.update(plan), options)
      return done
    },
  }
}

function loose(tx: Shelves, later: Plan[]): Shelves {
  return {
    ...tx,
    plans: { ...tx.plans, update: async (plan) => void later.push(plan) },
    deliveries: { ...tx.deliveries, withKey: async () => [] },
    messages: {
      ...tx.messages,
      push: ({ items, ...rest }) =>
        tx.messages.push({
          items: items.map(({ message, held }) => ({ message: { ...message, dedupKey: null }, held })),
          ...rest,
        }),
    },
  }
}

if (process.argv[2] === 'work') void main(process.argv.slice(1))
