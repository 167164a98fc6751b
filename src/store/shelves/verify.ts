import type { Verified } from '../../model/verified.ts'
import { readPost, SELECT_POST } from '../post-rows.ts'
import { faultOf, MESSAGE_COLUMNS, SELECT_MESSAGE } from '../rows.ts'
import type { Sql } from '../sql.ts'
import type { Store } from '../store.ts'
import { isCorrupt } from './salvage.ts'

const SLICE = 500

/** Faults that are named. More are only counted. */
const NAMED = 20

/** Reads every message and post in slices, so that memory stays small and no writer waits, and compares them with their checksums and MACs. */
export async function verifyMessages(sql: Sql): Promise<Verified> {
  const { messages, faults } = await verifyAllMessages(sql)
  return { messages, faults: shortened([...faults, ...(await verifyPosts(sql))]) }
}

async function verifyPosts(sql: Sql): Promise<readonly string[]> {
  const faults: string[] = []
  for (let after = ['', 0]; ; ) {
    try {
      const rows = await sql.all(SELECT_POSTS, [...after, SLICE])
      for (const row of rows) if (readPost(row).damaged) faults.push(`post ${row[1]} in space ${row[0]} is damaged`)
      if (rows.length < SLICE) return faults
      after = rows.at(-1)?.slice(0, 2) ?? []
    } catch (error) {
      if (!isCorrupt(error)) throw error
      return [...faults, 'some posts in spaces cannot be read']
    }
  }
}

async function verifyAllMessages(sql: Sql): Promise<Verified> {
  const faults: string[] = []
  let messages = 0
  for (let after = 0; ; ) {
    try {
      const rows = await sql.all(SELECT_SLICE, [after, SLICE])
      messages += rows.length
      for (const row of rows) {
        const fault = faultOf(row, sql)
        if (fault) faults.push(`message ${row[0]} ${fault}`)
      }
      if (rows.length < SLICE) return { messages, faults }
      after = rows.at(-1)?.[MESSAGE_COLUMNS.length]
    } catch (error) {
      if (!isCorrupt(error)) throw error
      // Where the damage ends is not known: the check of the pages says which they are.
      return { messages, faults: [...faults, `messages after place ${after} cannot be read`] }
    }
  }
}

function shortened(faults: readonly string[]): readonly string[] {
  const more = faults.length - NAMED
  return more > 0 ? [...faults.slice(0, NAMED), `${more} more`] : faults
}

const SELECT_POSTS = `SELECT ${SELECT_POST} FROM space_posts p WHERE (p.space_id, p.seq) > (?1, ?2 + 0)
  ORDER BY p.space_id, p.seq LIMIT ?3 + 0`

const SELECT_SLICE = `SELECT ${SELECT_MESSAGE}, m.seq FROM messages m WHERE m.seq > ?1 ORDER BY m.seq LIMIT ?2 + 0`

/** A store that cannot be written has been checked all the same. */
export async function rememberVerified(store: Pick<Store, 'now' | 'transact'>, verified: Verified): Promise<Verified> {
  const { messages, faults } = verified
  const last = { at: store.now(), messages, faults: faults.length }
  await store.transact((tx) => tx.upkeep.setVerified(last)).catch(() => undefined)
  return verified
}
