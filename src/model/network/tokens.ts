import type { Caller } from '../caller.ts'
import type { Scope, Token } from './token.ts'

export interface Tokens {
  /** Makes a token. It is shown this once. */
  create(input: CreateToken): Promise<NewToken>
  list(input?: { readonly revoked?: boolean }): Promise<readonly Token[]>
  revoke(input: { readonly id: string }): Promise<Token>
}

export interface CreateToken {
  readonly scope: string
  readonly label?: string
  readonly ttlMs?: number
}

export interface NewToken extends Token {
  readonly token: string
}

/** What a server needs beyond `Postern`, to know who asks. */
export interface Credentials {
  /** Whom a token speaks for; undefined for one that is unknown, revoked or expired. */
  identify(token: string): Promise<Identity | undefined>
  /** Makes a token which is already in somebody's hands good for an administrator. False where it was revoked or has expired: it stays so. */
  adopt(token: string, label: string): Promise<boolean>
}

export interface Identity {
  readonly tokenId: string
  readonly scope: Scope
  readonly caller: Caller
}
