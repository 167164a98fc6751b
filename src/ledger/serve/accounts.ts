import type { LedgerAccount, Shelves } from '../../store/store.ts'

/** An account of somebody with a key, or one of an agent of this deployment, who needs none. */
export async function findAccount(shelves: Shelves, id: string | undefined): Promise<LedgerAccount | undefined> {
  if (id === undefined) return undefined
  const account = await shelves.ledger.getAccount({ id })
  if (account) return account
  const identities = await shelves.ledger.identities({ network: 'local' })
  const owner = identities.find((identity) => identity.account === id)
  return owner && { id, memo: '', key: '', createdAt: owner.updatedAt }
}
