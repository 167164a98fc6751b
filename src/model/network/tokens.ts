import type { AgentKind } from '../agent.ts'
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
  /** What the register says that an agent, person or service is; undefined for one that is unknown or was removed. */
  kindOf(id: string): Promise<AgentKind | undefined>
  /** Makes a token which is already in somebody's hands good for an administrator. False where it was revoked or has expired: it stays so. */
  adopt(token: string, label: string): Promise<boolean>
  /** Makes a token by which a person is known to the page, good no longer than the one that it is got with. */
  signIn(input: SignIn): Promise<NewToken>
  /** Makes such a token worthless. One that was made for something else is left as it is. */
  signOut(token: string): Promise<void>
}

export interface SignIn {
  readonly person: string
  /** The token that it is got with; `OF_SOCKET` where there is none because whoever asked is the owner. */
  readonly tokenId: string
}

/** Stands for a token where whoever asks could open the socket of the server. */
export const OF_SOCKET = 'socket'

export interface Identity {
  readonly tokenId: string
  readonly scope: Scope
  readonly caller: Caller
}
