import type { Context } from '../../core/context.ts'
import { signIn, signOut } from '../../core/tokens/sign-in.ts'
import { draftToken, SCOPE_AGENTS } from '../../core/tokens/tokens.ts'
import type { AgentKind } from '../../model/agent.ts'
import { type Caller, LOCAL_CALLER, SYSTEM_CALLER } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { isToken, parseScope, type Scope, type Token } from '../../model/network/token.ts'
import type { Credentials, Identity } from '../../model/network/tokens.ts'

/** How long another process may go on with a token that was revoked here, or whose agent was removed. */
const REMEMBERED_MS = 5_000

/** Tells who comes over the network. What it remembers, it forgets at once where the context that it shares revokes it. */
export function createCredentials(ctx: Context): Credentials {
  return {
    signIn: (input) => signIn(ctx, input),
    signOut: (token) => signOut(ctx, token),

    async identify(token) {
      if (!isToken(token)) return undefined
      const hash = (await ctx.secrets()).hash(token)
      const now = ctx.store.now()
      const known = ctx.identities.find(hash, now)
      if (known) return known
      const found = await ctx.store.read.tokens.withHash(hash)
      const identity = found && isGood(found, now) ? await identityOf(ctx, found) : undefined
      const until = Math.min(now + REMEMBERED_MS, found?.expiresAt ?? Number.POSITIVE_INFINITY)
      if (identity) ctx.identities.keep(hash, identity, { since: now, until })
      return identity
    },

    kindOf: (id) => kindOf(ctx, id),

    async adopt(token, label) {
      if (!isToken(token)) throw new PosternError('VALUE_INVALID', NO_TOKEN)
      const hash = (await ctx.secrets()).hash(token)
      const draft = draftToken({ ...ctx, caller: SYSTEM_CALLER }, { scope: 'admin', label })
      const kept = await ctx.store.transact(async (tx) => {
        await tx.tokens.insert({ token: draft, hash })
        return tx.tokens.withHash(hash)
      })
      return kept !== undefined && isGood(kept, ctx.store.now())
    },
  }
}

const NO_TOKEN = { field: 'token', value: 'given', next: 'Use one that "postern token create" has made.' } as const

function isGood({ revokedAt, expiresAt }: Token, now: number): boolean {
  return revokedAt === null && (expiresAt === null || now < expiresAt)
}

async function identityOf(ctx: Context, { id, scope: text }: Token): Promise<Identity | undefined> {
  const scope = parseScope(text)
  const caller = await callerOf(ctx, scope)
  return caller && { tokenId: id, scope, caller }
}

/** A token is good for as long as whom it speaks for is there, and is what it says. */
async function callerOf(ctx: Context, { kind, id }: Scope): Promise<Caller | undefined> {
  if (kind === 'admin' || id === null) return { ...LOCAL_CALLER, verified: true, via: 'http' }
  const registered = await kindOf(ctx, id)
  if (registered === undefined || registered !== SCOPE_AGENTS[kind]) return undefined
  return { id, kind: registered, verified: true, via: 'http' }
}

async function kindOf(ctx: Context, id: string): Promise<AgentKind | undefined> {
  const agent = await ctx.store.read.agents.get(id)
  return agent?.removedAt === null ? agent.kind : undefined
}
