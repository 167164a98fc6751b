import { PosternError } from '../../model/errors.ts'
import type { RelayRecord, RelaySlice, Store } from '../../store/store.ts'
import { heldByAnotherMs } from '../lease.ts'
import type { Outbox, OutboxPage, Standing } from './outbox.ts'

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

  function standing(record: RelayRecord): Standing {
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
      return record ? standing(record) : { cursor: await beginning(), heldForMs: 0 }
    },
    async lead() {
      const cursor = (await store.read.relays.get({ name }))?.cursor ?? (await beginning())
      const lead = { name, holder, now: store.now(), leaseMs: LEASE_MS, cursor }
      return standing(await store.transact((tx) => tx.relays.lead(lead), { isDurable: false }))
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
