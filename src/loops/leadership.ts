import type { Store } from '../store/store.ts'
import { heldByAnotherMs } from './lease.ts'

/** The right of one server among many to do a task for all of them. */
export interface Leadership {
  readonly isLeading: boolean
  /** Takes or renews the right, unless another server holds it. */
  check(): Promise<boolean>
  /** Gives the right back, so that another server can take it at once. */
  leave(): Promise<void>
}

export interface LeadershipOptions {
  readonly store: Pick<Store, 'read' | 'transact' | 'single' | 'now'>
  readonly name: string
  /** Names this run of this server, and no other. */
  readonly holder: string
}

export const LEASE_MS = 10_000

/** The lease is a row on the shelf of the relays. It needs no cursor, which a relay's row has as well. */
export function createLeadership({ store, name, holder }: LeadershipOptions): Leadership {
  let isLeading = false

  async function isHeldByAnother(): Promise<boolean> {
    const record = await store.read.relays.get({ name })
    return record !== undefined && heldByAnotherMs(record, { holder, now: store.now(), leaseMs: LEASE_MS }) > 0
  }

  return {
    get isLeading() {
      return isLeading
    },
    async check() {
      if (await isHeldByAnother()) {
        isLeading = false
        return false
      }
      const lead = { name, holder, now: store.now(), leaseMs: LEASE_MS, cursor: '' }
      // A lease that is lost in a power failure is taken again.
      const record = await store.transact((tx) => tx.relays.lead(lead), { isDurable: false })
      isLeading = record.holder === holder
      return isLeading
    },
    async leave() {
      if (!isLeading) return
      isLeading = false
      await store.single((tx) => tx.relays.keep({ name, holder, heldUntil: 0, cursor: '' }), { isDurable: false })
    },
  }
}
