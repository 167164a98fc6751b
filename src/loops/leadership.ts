import type { Store } from '../store/store.ts'
import { heldByAnotherMs } from './lease.ts'

/** The right of one server among many to do something for all of them. */
export interface Leading {
  readonly isLeading: boolean
  /** Takes or keeps it, unless another has it. */
  check(): Promise<boolean>
  /** Lets another go on at once. */
  leave(): Promise<void>
}

export interface LeadingOptions {
  readonly store: Pick<Store, 'read' | 'transact' | 'single' | 'now'>
  readonly name: string
  /** This server, told from every other that ever was. */
  readonly holder: string
}

export const LEASE_MS = 10_000

/** It is kept beside the leases of the wires, which have a cursor too; this one needs none. */
export function createLeading({ store, name, holder }: LeadingOptions): Leading {
  let isLeading = false

  async function isAnothers(): Promise<boolean> {
    const record = await store.read.relays.get({ name })
    return record !== undefined && heldByAnotherMs(record, { holder, now: store.now(), leaseMs: LEASE_MS }) > 0
  }

  return {
    get isLeading() {
      return isLeading
    },
    async check() {
      if (await isAnothers()) {
        isLeading = false
        return false
      }
      const lead = { name, holder, now: store.now(), leaseMs: LEASE_MS, cursor: '' }
      // Whatever is lost of it with power is taken again.
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
