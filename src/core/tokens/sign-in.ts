import { SYSTEM_CALLER } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { TOKEN_PREFIX, type Token } from '../../model/network/token.ts'
import { type NewToken, OF_SOCKET, type SignIn } from '../../model/network/tokens.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { draftToken, requireBearer } from './tokens.ts'

const SIGNED_IN_MS = 7 * 24 * 60 * 60_000
/** Of one person, at once: as many browsers as anybody has. */
const MOST = 20
const LABEL = 'the page'

/**
 * Signs a person in to the page: another token of theirs, kept like any other, so that it outlives the server that made
 * it, is listed, and can be revoked. It ends with the one that it is got with.
 */
export async function signIn(ctx: Context, { person, tokenId }: SignIn): Promise<NewToken> {
  const scope = `human:${person}`
  const ttlMs = Math.min(SIGNED_IN_MS, ctx.limits.ttlMs)
  const draft = draftToken({ ...ctx, caller: SYSTEM_CALLER }, { scope, label: LABEL, ttlMs })
  const secrets = await ctx.secrets()
  const token = `${TOKEN_PREFIX}${secrets.random('base64url')}`
  const hash = secrets.hash(token)
  const kept = await ctx.store.transact(async (tx) => {
    const kept = await boundBy(ctx, tx, { ...draft, createdBy: person }, tokenId)
    await requireBearer(tx, { kind: 'human', id: person })
    await tx.tokens.prune({ scope, now: ctx.store.now(), most: MOST - 1 })
    await tx.tokens.insert({ token: kept, hash })
    return kept
  })
  return { ...kept, token }
}

/** Whoever signs in from the page has the parent of that sign-in, not a chain of them. */
async function boundBy(ctx: Context, tx: Shelves, draft: Token, tokenId: string): Promise<Token> {
  if (tokenId === OF_SOCKET) return { ...draft, parentId: OF_SOCKET }
  const parent = await tx.tokens.get(tokenId)
  const isOver = !parent || parent.revokedAt !== null || (parent.expiresAt ?? Infinity) <= ctx.store.now()
  if (isOver) throw new PosternError('NOT_AUTHENTICATED')
  const expiresAt = Math.min(draft.expiresAt ?? Infinity, parent.expiresAt ?? Infinity)
  return { ...draft, expiresAt, parentId: parent.parentId ?? parent.id }
}

export async function signOut(ctx: Context, token: string): Promise<void> {
  const hash = (await ctx.secrets()).hash(token)
  const found = await ctx.store.read.tokens.withHash(hash)
  if (!found || found.parentId === null) return
  await ctx.store.single((tx) => tx.tokens.revoke({ id: found.id, at: ctx.store.now() }))
  ctx.identities.forget(found.id)
}
