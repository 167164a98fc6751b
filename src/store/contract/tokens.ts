import type { Token } from '../../model/network/token.ts'

/** Tokens, known by their hashes only. Every method is one atomic step. */
export interface TokenShelf {
  /** Repeatable: a hash that exists is left as it is. */
  insert(params: { readonly token: Token; readonly hash: string }): Promise<void>
  get(id: string): Promise<Token | undefined>
  /** Also finds revoked and expired tokens: the caller checks both. */
  withHash(hash: string): Promise<Token | undefined>
  /** Newest first. */
  list(params: { readonly revoked: boolean }): Promise<readonly Token[]>
  /**
   * Revokes a token and those that were obtained with it. Returns the ids that were valid until now, so repeating it
   * returns none.
   */
  revoke(params: { readonly id: string; readonly at: number }): Promise<readonly string[]>
  /** Of a scope's tokens that were obtained with others, removes those that are over and all but the newest `most`. */
  prune(params: { readonly scope: string; readonly now: number; readonly most: number }): Promise<void>
}
