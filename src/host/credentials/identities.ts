import type { Identities } from '../../core/context.ts'
import type { Identity } from '../../model/network/tokens.ts'

const MOST = 10_000

interface Kept {
  readonly identity: Identity
  readonly since: number
  readonly until: number
}

/** Remembers whom tokens are good for, so that not every request has to ask the store. Only what was found is kept. */
export function createIdentities(): Identities {
  const kept = new Map<string, Kept>()
  return {
    find(hash, now) {
      const found = kept.get(hash)
      // A clock that was set back must not make it last longer.
      return found && now >= found.since && now < found.until ? found.identity : undefined
    },

    keep(hash, identity, { since, until }) {
      if (kept.size >= MOST) kept.clear()
      kept.set(hash, { identity, since, until })
    },

    forget(tokenId) {
      for (const [hash, { identity }] of kept) if (identity.tokenId === tokenId) kept.delete(hash)
    },
  }
}
