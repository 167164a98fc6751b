import type { SqlValue } from './sql.ts'

/**
 * Makes and checks the MACs of messages with the key of the home in which this process runs. A MAC covers the id and the
 * fields of a message, as the checksum does. Unlike the checksum, it cannot be forged by a process that can write the
 * store
 * and does not have the key.
 */
export interface MessageMacs {
  /** Null if there is no usable key. The first call may make the key. The fields are the first `count` values. */
  make(values: readonly SqlValue[], count: number): string | null
  check(values: readonly SqlValue[], count: number, mac: string | null): MacVerdict
}

/**
 * `wrong`: it was made with this key for other fields. `unknown`: there is no MAC, or no key, or it was made with another
 * key.
 */
export type MacVerdict = 'right' | 'wrong' | 'unknown'
