import { PosternError } from '../../model/errors.ts'
import type { RelayRecord, RelaySlice, Store } from '../../store/store.ts'
import type { Copy } from '../../wires/wire.ts'
import { heldByAnotherMs } from '../lease.ts'

/**
 * The copies that a relay has to carry, in the order of commits. Its rows are the store's events, which are written
 * with the message itself. A relay only stores its cursor.
 */
export interface Outbox {
  /** How long the lease of the relay lasts. `keep` renews it. */
  readonly leaseMs: number
  /** Reads the state. It writes nothing, so a server that has nothing to carry causes no writes. */
  look(): Promise<RelayState>
  /**
   * Takes or renews the lease, unless another server holds it, and returns the state. One of many servers relays, so
   * that nothing is carried twice in vain.
   */
  lead(): Promise<RelayState>
  /** The messages after a cursor that are still pending. No cursor is refused: one that is too old sets `hasGap`. */
  next(params: { readonly cursor: string; readonly limit: number }): Promise<OutboxPage>
  /** Stores the cursor and renews the lease; false if this server no longer leads. */
  keep(cursor: string): Promise<boolean>
  /** Stores the cursor and gives the lease back. Does nothing if this server no longer leads. */
  leave(cursor: string): Promise<void>
  /** The cursor before the oldest event. */
  oldest(): Promise<string>
  /** How many rows after a cursor are still to be carried. The count stops at a bound. */
  countAfter(cursor: string): Promise<number>
}

export interface RelayState {
  /** The cursor of the server that led last. */
  readonly cursor: string
  /** How long another server still holds the lease; 0 if none does. */
  readonly heldForMs: number
}

export interface OutboxPage {
  readonly copies: readonly Copy[]
  /** The cursor after the last row that was read, whether or not it had anything to carry. */
  readonly cursor: string
  readonly isMore: boolean
  /** True if rows after the cursor were removed before they were carried. Listeners find those messages in the store. */
  readonly hasGap: boolean
  /** True if more rows exist that cannot be read until an older transaction ends. */
  readonly isHeldBack: boolean
}

export interface OutboxOptions {
  readonly store: Pick<Store, 'read' | 'transact' | 'single' | 'now'>
  /** The name of the engine. */
  readonly name: string
  /** Names this run of this server, and no other. */
  readonly holder: string
}

const LEASE_MS = 5_000
/** More events than a store ever keeps. */
const ALL = 10_000_000
const COUNTED = 10_000

/** The outbox of a store for the engine of that name. */
export function createOutbox({ store, name, holder }: OutboxOptions): Outbox {
  const oldest = () => store.read.events.last({ back: ALL })
  let found: string | undefined

  /** Found once, because every look starts there until some server has led. */
  async function beginning(): Promise<string> {
    found ??= await oldest()
    return found
  }

  function stateOf(record: RelayRecord): RelayState {
    const heldForMs = heldByAnotherMs(record, { holder, now: store.now(), leaseMs: LEASE_MS })
    return { cursor: record.cursor, heldForMs }
  }

  /** Reads from a cursor. If the store does not know it, as after restoring a backup, it reads from the oldest event. */
  async function from<T>(cursor: string, read: (cursor: string) => Promise<T>): Promise<{ of: T; isAnew: boolean }> {
    try {
      return { of: await read(cursor), isAnew: false }
    } catch (error) {
      if (!(error instanceof PosternError) || error.code !== 'CURSOR_UNKNOWN') throw error
      return { of: await read(await oldest()), isAnew: true }
    }
  }

  function keep(cursor: string, heldUntil: number): Promise<boolean> {
    // A cursor that is lost in a power failure only means that some copies are carried again.
    return store.single((tx) => tx.relays.keep({ name, holder, cursor, heldUntil }), { isDurable: false })
  }

  return {
    leaseMs: LEASE_MS,
    async look() {
      const record = await store.read.relays.get({ name })
      return record ? stateOf(record) : { cursor: await beginning(), heldForMs: 0 }
    },
    async lead() {
      const cursor = (await store.read.relays.get({ name }))?.cursor ?? (await beginning())
      const lead = { name, holder, now: store.now(), leaseMs: LEASE_MS, cursor }
      return stateOf(await store.transact((tx) => tx.relays.lead(lead), { isDurable: false }))
    },
    async next({ cursor, limit }) {
      const now = store.now()
      const { of: slice, isAnew } = await from(cursor, (known) =>
        store.read.relays.after({ cursor: known, now, limit }),
      )
      return { ...pageOf(slice), hasGap: slice.hasGap || isAnew }
    },
    keep: (cursor) => keep(cursor, store.now() + LEASE_MS),
    async leave(cursor) {
      await keep(cursor, 0)
    },
    oldest,
    async countAfter(cursor) {
      return (await from(cursor, (known) => store.read.relays.countAfter({ cursor: known, limit: COUNTED }))).of
    },
  }
}

function pageOf({ items, ...page }: RelaySlice): OutboxPage {
  return { copies: items, ...page }
}
