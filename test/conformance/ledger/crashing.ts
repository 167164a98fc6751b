import type { Shelves, Store } from '../../../src/store/store.ts'
import { storeWith } from '../../helpers/store-with.ts'

const GONE = 'the power is gone'
/** Whose calls are counted: all that the verbs of the ledger write with. */
const SHELVES = ['ledger', 'messages', 'deliveries', 'budgets'] as const
const MOST_CALLS = 500

/** All that a verb of the ledger could leave behind, so that two looks can be compared. */
export async function inventory(store: Store): Promise<string> {
  const { ledger, deliveries } = store.read
  const topics = await ledger.listTopics({ network: 'local' })
  const states = ['pending', 'offered', 'held', 'seen'] as const
  const waiting = await deliveries.list({ now: store.now(), states, limit: 1_000 })
  const identities = await ledger.identities({ network: 'local' })
  const parcels = await ledger.listParcels({ limit: 1_000 })
  return JSON.stringify([topics, identities, parcels, waiting.map(({ id }) => id)])
}

/**
 * Lets an act fail at its first call on a shelf, then at its second, and so on until it has come through. Returns after
 * how many calls something was left of an act that failed; none is right.
 */
export async function leftAfterFailures(store: Store, act: (store: Store) => Promise<unknown>): Promise<number[]> {
  const left: number[] = []
  for (let at = 1; at <= MOST_CALLS; at++) {
    const before = await inventory(store)
    if (await succeeds(act(failingAt(store, at)))) return left
    if ((await inventory(store)) !== before) left.push(at)
  }
  throw new Error('it never comes to an end')
}

async function succeeds(attempt: Promise<unknown>): Promise<boolean> {
  try {
    await attempt
    return true
  } catch (error) {
    if (error instanceof Error && error.message.includes(GONE)) return false
    throw error
  }
}

/** The same store, whose transactions fail at one of their calls. */
function failingAt(store: Store, at: number): Store {
  let calls = 0
  // Some shelves know their calls only when they are made.
  const counted = (shelf: object) =>
    new Proxy(shelf, {
      get:
        (_, name) =>
        (...params: unknown[]) =>
          ++calls === at ? Promise.reject(new Error(GONE)) : Reflect.get(shelf, name).apply(shelf, params),
    })
  return storeWith(store, {
    transact: (verb, options) =>
      store.transact((tx) => {
        const shelves = SHELVES.map((name) => [name, counted(tx[name])])
        return verb({ ...tx, ...Object.fromEntries(shelves) } as Shelves)
      }, options),
  })
}
