import { PosternError } from '../../model/errors.ts'
import type { RelayRecord, RelaySlice, Store } from '../../store/store.ts'
import type { Copy } from '../../wires/wire.ts'
import { heldByAnotherMs } from '../lease.ts'

/**
 * What has to be carried, in the order of commits. Its rows are the store's events, which are written with the message
 * itself; a relay only remembers how far it has come.
 */
export interface Outbox {
  /** How long the right to relay lasts; `keep` makes it last so long again. */
  readonly leaseMs: number
  /** How it stands. Nothing is written, so that a server that has nothing to carry costs nothing. */
  look(): Promise<RelayState>
  /**
   * Takes or prolongs the right to relay, unless another server has it, and says how it stands then. Of many servers one
   * relays, so that nothing is carried twice in vain.
   */
  lead(): Promise<RelayState>
  /** What came after a cursor and still waits for somebody. Fails for no cursor: where one is too old, see `hasGap`. */
  next(params: { readonly cursor: string; readonly limit: number }): Promise<OutboxPage>
  /** Remembers how far this server has come; false where it leads no more. */
  keep(cursor: string): Promise<boolean>
  /** Gives the right back, with how far this server has come. Nothing where it leads no more. */
  leave(cursor: string): Promise<void>
  /** The cursor before everything that is kept. */
  oldest(): Promise<string>
  /** How many rows after a cursor are to be carried; of very many only the first are counted. */
  countAfter(cursor: string): Promise<number>
}

export interface RelayState {
  /** How far whoever led last has come. */
  readonly cursor: string
  /** For how long another server has the right to relay; 0 where none has. */
  readonly heldForMs: number
}

export interface OutboxPage {
  readonly copies: readonly Copy[]
  /** After the last row that was looked at, whether it had anything to carry or not. */
  readonly cursor: string
  readonly isMore: boolean
  /** Rows after the cursor were removed before anybody carried them. Those who listen find their messages in the store. */
  readonly hasGap: boolean
  /** There are more that cannot be shown yet, for as long as an older transaction is open. */
  readonly isHeldBack: boolean
}

export interface OutboxOptions {
  readonly store: Pick<Store, 'read' | 'transact' | 'single' | 'now'>
  /** Of the engine. */
  readonly name: string
  /** This server, told from every other that ever was. */
  readonly holder: string
}

const LEASE_MS = 5_000
/** More than are ever kept. */
const ALL = 10_000_000
const COUNTED = 10_000

/** What has to be carried of a store's messages: its events, from where the relay of that name has come to. */
export function createOutbox({ store, name, holder }: OutboxOptions): Outbox {
  const oldest = () => store.read.events.last({ back: ALL })
  let found: string | undefined

  /** Found once: for as long as nobody leads, every look begins there. */
  async function beginning(): Promise<string> {
    found ??= await oldest()
    return found
  }

  function stateOf(record: RelayRecord): RelayState {
    const heldForMs = heldByAnotherMs(record, { holder, now: store.now(), leaseMs: LEASE_MS })
    return { cursor: record.cursor, heldForMs }
  }

  /** Where the store is another than it was, as after a backup was put back, it begins with the oldest that is kept. */
  async function from<T>(cursor: string, read: (cursor: string) => Promise<T>): Promise<{ of: T; isAnew: boolean }> {
    try {
      return { of: await read(cursor), isAnew: false }
    } catch (error) {
      if (!(error instanceof PosternError) || error.code !== 'CURSOR_UNKNOWN') throw error
      return { of: await read(await oldest()), isAnew: true }
    }
  }

  function keep(cursor: string, heldUntil: number): Promise<boolean> {
    // Whatever is lost of it with power is carried again.
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
