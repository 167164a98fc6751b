import { formatDuration } from '../../kit/pure/duration.ts'
import type { AgentKind } from '../../model/agent.ts'
import { PosternError } from '../../model/errors.ts'
import { requireStorable } from '../../model/ids.ts'
import { parseScope, type Scope, type ScopeKind, TOKEN_PREFIX, type Token } from '../../model/network/token.ts'
import type { CreateToken, NewToken } from '../../model/network/tokens.ts'
import { parseText } from '../../model/text.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { requireAgent } from '../registry/find.ts'
import { requirePerson } from '../registry/require-person.ts'

const LABEL_BYTES = 200
const DAY_MS = 24 * 60 * 60_000

/** Makes a token for somebody who is registered, or for an administrator. */
export async function createToken(ctx: Context, input: CreateToken): Promise<NewToken> {
  requirePerson(ctx.caller, 'make tokens')
  const scope = parseScope(input.scope)
  const draft = draftToken(ctx, input)
  const secrets = await ctx.secrets()
  const token = `${TOKEN_PREFIX}${secrets.random('base64url')}`
  const hash = secrets.hash(token)
  await ctx.store.transact(async (tx) => {
    await requireBearer(tx, scope)
    await tx.tokens.insert({ token: draft, hash })
  })
  return { ...draft, token }
}

export async function listTokens(
  ctx: Context,
  { revoked = false }: { readonly revoked?: boolean } = {},
): Promise<readonly Token[]> {
  return ctx.store.read.tokens.list({ revoked })
}

/** The token is good for nothing from now on. Revoking it again changes nothing. */
export async function revokeToken(ctx: Context, { id }: { readonly id: string }): Promise<Token> {
  requirePerson(ctx.caller, 'revoke tokens')
  requireStorable(id, 'TOKEN_NOT_FOUND')
  const { token, revoked } = await ctx.store.transact(async (tx) => {
    const revoked = await tx.tokens.revoke({ id, at: ctx.store.now() })
    const token = await tx.tokens.get(id)
    if (!token) throw new PosternError('TOKEN_NOT_FOUND', { id })
    return { token, revoked }
  })
  for (const each of [id, ...revoked]) ctx.identities.forget(each)
  return token
}

export function draftToken(ctx: Context, { scope, label = '', ttlMs }: CreateToken): Token {
  const createdAt = ctx.store.now()
  return {
    id: ctx.newId('tok'),
    scope,
    label: parseText('label', label, LABEL_BYTES),
    createdBy: ctx.caller.id,
    createdAt,
    expiresAt: ttlMs === undefined ? null : createdAt + requireTtl(ctx, ttlMs),
    revokedAt: null,
    parentId: null,
  }
}

function requireTtl({ limits }: Context, ttlMs: number): number {
  if (Number.isSafeInteger(ttlMs) && ttlMs > 0 && ttlMs <= limits.ttlMs) return ttlMs
  throw new PosternError('DURATION_INVALID', {
    value: formatDuration(ttlMs),
    limit: `${Math.floor(limits.ttlMs / DAY_MS)} days`,
  })
}

/** What each scope calls an agent, and the kind that such an agent is of. */
export const SCOPE_AGENTS: Readonly<Record<Exclude<ScopeKind, 'admin'>, AgentKind>> = {
  human: 'human',
  agent: 'ai',
  service: 'service',
}

/** A token speaks for somebody who is there, and who is what it says: people may do what programs may not. */
export async function requireBearer(tx: Shelves, { kind, id }: Scope): Promise<void> {
  if (kind === 'admin' || id === null) return
  const agent = await requireAgent(tx, id)
  if (agent.kind === SCOPE_AGENTS[kind]) return
  const [right] = Object.entries(SCOPE_AGENTS).find(([, of]) => of === agent.kind) ?? ['agent']
  throw new PosternError('VALUE_INVALID', {
    field: 'scope',
    value: `${kind}:${id}`,
    next: `${id} is registered as ${agent.kind}: use "${right}:${id}".`,
  })
}
