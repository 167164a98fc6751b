import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InboxMessage } from '../../../src/model/delivery.ts'
import type { Limits } from '../../../src/model/limits.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { openLocal } from '../../helpers/open-local.ts'

export const storeOf = (home: string): string => join(home, 'postern.db')

/** A home has buses of its own: the default root is the user's. */
export const busRootOf = (home: string): string => join(home, 'run-agent')

/** A home with a configuration of its own and no store yet. */
export function makeHome(home: string, limits: Partial<Limits> = {}): string {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  if (Object.keys(limits).length > 0) writeFileSync(join(home, 'config.json'), JSON.stringify({ limits }))
  return home
}

/** A copy of a home whose store nobody has open. */
export function copyHome(from: string, to: string): string {
  cpSync(from, to, { recursive: true })
  return to
}

/** Opens the store of a home in this process for as long as the call lasts. */
export async function withStore<T>(home: string, call: (postern: Postern) => Promise<T>): Promise<T> {
  const postern = await openLocal(storeOf(home), { upkeep: false, bus: { root: busRootOf(home) } })
  try {
    return await call(postern)
  } finally {
    await postern.close()
  }
}

/** Every delivery of every agent. */
export async function listEverything(postern: Postern): Promise<InboxMessage[]> {
  const items: InboxMessage[] = []
  for (let after: string | null | undefined; after !== null; ) {
    const page = await postern.inbox.list({ which: 'all', limit: 1_000, ...(after !== undefined && { after }) })
    items.push(...page.items)
    after = page.next
  }
  return items
}

export const deliveriesIn = (home: string): Promise<InboxMessage[]> => withStore(home, listEverything)
