import type { LedgerEntry } from '../../model/ledger/entry.ts'
import type { LedgerTopic } from '../../model/ledger/topic.ts'
import type { Shelves, Store } from '../../store/store.ts'
import type { Ledger } from '../ledger.ts'

/** The store and the ledger that the server answers from. */
export interface ServeContext {
  readonly store: Store
  /** The local one. */
  readonly ledger: Ledger
  readonly onEntries: OnEntries
  /** Logs a failure that the client is not told about. */
  readonly note: (event: string, fields: Readonly<Record<string, unknown>>) => void
}

/**
 * What follows from entries that somebody else has submitted, in the transaction that adds them. It may be run again;
 * what it resolves with is called once, after the commit.
 */
export type OnEntries = (
  tx: Shelves,
  topic: LedgerTopic,
  entries: readonly LedgerEntry[],
) => Promise<(() => void) | undefined>

/** The one node there is, and the account that a new ledger begins with. */
export const NODE_ACCOUNT = '0.0.3'
export const OPERATOR_ACCOUNT = '0.0.2'
/** Nothing costs anything here. Whoever looks into a purse finds a million in it, in hundred-millionths. */
export const BALANCE = 1_000_000_00_000_000
/** How long accounts and topics are said to last; nothing here ever runs out. */
export const RENEW_SECONDS = 7_776_000
/** None of the public networks', whose first is 0; clients show it with what they know of a topic. */
export const LEDGER_ID = Uint8Array.of(0x04)
