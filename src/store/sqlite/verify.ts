import type { Verified } from '../../model/verified.ts'
import type { MessageMacs } from '../message-macs.ts'
import { rememberVerified, verifyMessages } from '../shelves/verify.ts'
import type { Store } from '../store.ts'
import { asSql, type Connection } from './connection.ts'

/** Checks every page and index of a store, then every message. */
export async function verifyStore(
  store: Pick<Store, 'now' | 'transact'>,
  connection: Connection,
  macs: MessageMacs | undefined,
): Promise<Verified> {
  const pages = connection.all(`PRAGMA integrity_check(${MOST_FAULTS})`).map(([verdict]) => String(verdict))
  const broken = pages.filter((verdict) => verdict !== 'ok')
  const { messages, faults } = await verifyMessages(asSql(connection.path, () => connection, macs))
  return rememberVerified(store, { messages, faults: [...broken, ...faults] })
}

const MOST_FAULTS = 20
