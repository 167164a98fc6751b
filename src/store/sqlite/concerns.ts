import { lazy } from '../../kit/pure/lazy.ts'
import type { Shelves } from '../store.ts'

/** Agents whose quiet files must go because of what a call has changed; undefined where that may be anybody's. */
export type Concerned = readonly string[] | undefined

type Concerns = {
  readonly [S in keyof Shelves]?:
    | {
        readonly [C in keyof Shelves[S]]?: Shelves[S][C] extends (params: infer P) => Promise<infer R>
          ? (params: P, result: R) => Concerned
          : never
      }
    /** Of all calls of the shelf. */
    | (() => Concerned)
}

/** For calls that write nothing of what `markQuiet` looks at, or only make it less. */
export const nobody = (): Concerned => []
const everybody = (): Concerned => undefined

/**
 * Whom each writing call on a shelf concerns. One that is not named here and changes anything concerns everybody, so
 * that a call which is added and forgotten costs time and hides nothing.
 */
export const CONCERNS: Concerns = {
  agents: {
    insert: ({ agent }) => [agent.id],
    update: ({ id }) => [id],
    setOwner: ({ id }) => [id],
    setRemoved: ({ id }) => [id],
  },
  sessions: {
    put: ({ agent }) => [agent],
    end: (_, agent) => (agent === undefined ? undefined : [agent]),
    setTurn: (_, session) => (session && session.continuations > 0 ? [session.agent] : []),
    hasFired: nobody,
  },
  messages: {
    push: ({ items }) => items.flatMap(({ message }) => message.to),
    broadcast: everybody,
    expire: nobody,
    indexForSearch: nobody,
  },
  deliveries: {
    takeUpBroadcasts: ({ agent }) => [agent],
    move: (_, agents) => agents,
    moveAll: ({ agent }) => [agent],
    record: ({ agents }) => agents,
    // Whose messages were pending had no quiet file.
    finish: nobody,
    expire: ({ agent }) => (agent === undefined ? [] : [agent]),
  },
  offers: {
    open: ({ offer }) => [offer.agent],
    setPrinted: (_, offer) => offer && [offer.agent],
    close: (_, closed) => closed && [closed.offer.agent],
  },
  snoozes: {
    snooze: ({ agent }) => [agent],
    wake: ({ agent }) => [agent],
    due: (_, agents) => agents,
  },
  gates: {
    insert: ({ gate }) => [gate.agent],
    close: (_, gate) => gate && [gate.agent],
    tend: nobody,
    record: nobody,
    count: nobody,
    // It names a session only, and is rare.
    register: everybody,
    mark: nobody,
    reap: nobody,
  },
  decisions: {
    insert: ({ agent }) => [agent],
    putTo: nobody,
    close: nobody,
  },
  spaces: {
    insert: nobody,
    close: nobody,
    join: nobody,
    leave: nobody,
    leaveAll: nobody,
    post: nobody,
    setActive: nobody,
  },
  // An agent with a plan to come is never quiet.
  plans: {
    insert: ({ agent }) => [agent],
    update: ({ agent }) => [agent],
    delete: nobody,
    deleteOf: nobody,
    reap: nobody,
  },
  services: { insert: nobody, update: nobody, heard: nobody },
  tokens: { insert: nobody, revoke: nobody, prune: nobody },
  replies: { claim: nobody, record: nobody, keep: nobody, drop: nobody, release: nobody, reap: nobody },
  events: { reap: nobody },
  inheritances: {
    insert: ({ record: { agent } }) => (agent === null ? [] : [agent]),
    setPrinted: nobody,
    close: nobody,
    addRoot: nobody,
  },
  relays: { lead: nobody, keep: nobody },
  ledger: nobody,
  budgets: { take: nobody },
  upkeep: {
    claim: nobody,
    forgetSessions: nobody,
    reap: nobody,
    rest: nobody,
    acknowledgeLoss: nobody,
    setVerified: nobody,
  },
}

type Call = (params?: unknown) => Promise<unknown>
type Shelf = Readonly<Record<string, Call>>
type Concern = (params: unknown, result: unknown) => Concerned

/** The same shelves, but every call is followed by `note`, with a function that says whom the call concerned. */
export function observeWrites(shelves: Shelves, note: (concerned: () => Concerned) => void): Shelves {
  const observed = {}
  // Made with the first use of each shelf: most commands use few of them.
  for (const shelf of Object.keys(shelves) as (keyof Shelves)[]) {
    Object.defineProperty(observed, shelf, { get: lazy(() => observeShelf(shelf)), enumerable: true })
  }
  return observed as Shelves

  function observeShelf(shelf: keyof Shelves): Shelf {
    const concerns = CONCERNS[shelf] as Readonly<Record<string, Concern>> | Concern | undefined
    const concernOf = (name: string) => (typeof concerns === 'function' ? concerns : concerns?.[name]) ?? everybody
    return mapValues(shelves[shelf] as unknown as Shelf, (call, name) => observeCall(call, concernOf(name), note))
  }
}

function observeCall(call: Call, concern: Concern, note: (concerned: () => Concerned) => void): Call {
  return async (params) => {
    // What a call has changed before it failed is not known.
    let concerned: () => Concerned = everybody
    try {
      const result = await call(params)
      concerned = () => concern(params, result)
      return result
    } finally {
      note(concerned)
    }
  }
}

function mapValues(calls: Shelf, map: (call: Call, name: string) => Call): Shelf {
  return Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, map(call, name)]))
}
