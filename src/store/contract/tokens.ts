import type { Token } from '../../model/network/token.ts'

export interface TokenShelf {
  insert(params: { readonly token: Token; readonly hash: string }): Promise<void>
  get(id: string): Promise<Token | undefined>
  /** Also those that are revoked or expired. */
  withHash(hash: string): Promise<Token | undefined>
  /** Newest first. */
  list(params: { readonly revoked: boolean }): Promise<readonly Token[]>
  /** Also revokes those that were got with it. Which were good until now: none where it is revoked already. */
  revoke(params: { readonly id: string; readonly at: number }): Promise<readonly string[]>
  /** Removes those of a scope that were got with others and are over, or are not among the newest. */
  prune(params: { readonly scope: string; readonly now: number; readonly most: number }): Promise<void>
}
