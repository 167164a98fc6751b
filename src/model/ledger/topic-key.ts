const ACCOUNT = 'account:'

/** Who may write to a topic or change it, as its key is written: one account, or any one of several. */
export function formatAccountKey(...accounts: readonly string[]): string {
  return `${ACCOUNT}${[...new Set(accounts)].join('|')}`
}

/** The accounts of such a key, any one of which is enough; undefined for a key that is written out. */
export function accountsOfKey(key: string): readonly string[] | undefined {
  return key.startsWith(ACCOUNT) ? key.slice(ACCOUNT.length).split('|') : undefined
}
