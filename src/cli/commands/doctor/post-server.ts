import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Found } from '../../../hooks/install/files.ts'
import { recordOf } from '../../../hooks/install/install.ts'
import { listHooks, type PostServer, understand } from '../../../hooks/install/settings.ts'
import type { Scope, Target } from '../../../hooks/install/targets.ts'
import { isPostgres } from '../../../host/config/config.ts'
import { SERVER } from '../../../host/config/server.ts'
import { identify } from '../../../host/identity.ts'
import { findServer } from '../../../host/serving/server-lock.ts'
import { asPosternError, PosternError } from '../../../model/errors.ts'
import { CALLER_PATH } from '../../../model/network/paths.ts'
import { TOKEN_PREFIX } from '../../../model/network/token.ts'
import type { Postern } from '../../../model/postern.ts'
import type { Io } from '../../shell/command.ts'

/** Hooks that shall post to a server, and where they will stand. */
export interface HttpWish {
  readonly target: Target
  readonly scope: Scope
  readonly agent: string
  readonly found: Found
}

/** Stands for a token until somebody has agreed that one is made. */
const NO_TOKEN = `${TOKEN_PREFIX}…`
const ASK_MS = 2_000

/** The server that answers for this store, as programs of this machine reach it. */
export function findPostable({ config }: Pick<Io, 'config'>): string | undefined {
  // Whoever listens on every address is reached by that of the machine itself.
  return findServer(config.store)?.url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

/** Where hooks shall post to, with the token that stands in the file already if it is good. */
export async function findPostServer(io: Io, wish: HttpWish): Promise<PostServer> {
  requirePostable(io, wish)
  const url = findPostable(io)
  if (url === undefined) throw new PosternError('SERVER_UNAVAILABLE', { url: 'of this store', reason: 'none runs' })
  const { target, agent, found } = wish
  const { home } = io.config
  const hooks = listHooks(understand(found.text ?? '', found.path), { target, home })
  const token = hooks.find((hook) => hook.agent === agent && hook.token !== null)?.token ?? ''
  if (!(await isTakenFor(agent, url, token))) return { url, token: NO_TOKEN, tokenId: null }
  return { url, token, tokenId: recordOf(home, found.path, { target, agent })?.tokenId ?? null }
}

function requirePostable({ config }: Io, { target, scope }: HttpWish): void {
  const refuse = (message: string, next: string) => new PosternError('USAGE', { message, next })
  if (target.postable.length === 0)
    throw refuse(`${target.host} cannot post its events to a server.`, 'Leave "--http" out.')
  if (scope === 'project') {
    throw refuse(
      'The token of these hooks would stand in a file of the project, which is usually committed.',
      'Use "--scope user", or leave "--http" out.',
    )
  }
  if (isPostgres(config.store))
    throw refuse('A server on PostgreSQL does not say here where it listens.', 'Leave "--http" out.')
}

/** Whether a server takes a token for that of the agent. */
async function isTakenFor(agent: string, url: string, token: string): Promise<boolean> {
  if (token === '') return false
  try {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${url}${CALLER_PATH}`, { headers, signal: AbortSignal.timeout(ASK_MS) })
    const { caller } = (await answer.json()) as { readonly caller?: { readonly id: unknown } }
    return answer.ok && caller?.id === agent
  } catch {
    return false
  }
}

/** Makes the token where there is none yet. The agent must be there. */
export async function withToken(io: Io, { target, agent }: HttpWish, server: PostServer): Promise<PostServer> {
  if (server.token !== NO_TOKEN) return server
  const postern = await speaker(io)
  const { id, token } = await postern.tokens.create({ scope: `agent:${agent}`, label: `${target.host} hooks` })
  if (await isTakenFor(agent, server.url, token)) return { ...server, token, tokenId: id }
  await postern.tokens.revoke({ id })
  throw new PosternError('SERVER_UNAVAILABLE', { url: server.url, reason: 'it does not take a token of this store' })
}

/** An agent's own process may not make tokens, whatever command it runs. */
async function speaker(io: Io): Promise<Postern> {
  const postern = await io.open()
  return postern.as(await identify(postern, { via: 'cli' }))
}

/** A token that stands, or stood, in a file. */
export interface FormerToken {
  /** Null where nobody knows. */
  readonly tokenId: string | null
  readonly isThere: boolean
}

export function findFormer(
  { config: { home } }: Io,
  { target, agent, found }: Pick<HttpWish, 'target' | 'found'> & { readonly agent: string | undefined },
): FormerToken {
  const hooks = listHooks(understand(found.text ?? '', found.path), { target, home })
  const isThere = hooks.some((hook) => hook.token !== null && (agent === undefined || hook.agent === agent))
  return { tokenId: recordOf(home, found.path, { target, agent })?.tokenId ?? null, isThere }
}

/** Revokes a token that is not in use any more. What cannot be done is said. */
export async function revokeFormer(io: Io, former: FormerToken): Promise<readonly string[]> {
  const { tokenId, isThere } = former
  if (tokenId !== null) return revoke(io, tokenId)
  return isThere ? ['Careful: the token that stood there is still good: see "postern token list", and revoke it.'] : []
}

export async function revoke(io: Io, id: string): Promise<readonly string[]> {
  try {
    const postern = await speaker(io)
    await postern.tokens.revoke({ id })
    return []
  } catch (error) {
    const { message, code } = asPosternError(error)
    if (code === 'TOKEN_NOT_FOUND') return []
    return [`Careful: the token ${id} that stood there is still good (${message}): postern token revoke ${id}`]
  }
}

/** Hooks name a port, so the server must be there again the next time. */
export function warnOfPort({ config }: Pick<Io, 'config'>, server: PostServer | undefined): readonly string[] {
  const port = server === undefined ? undefined : new URL(server.url).port
  if (port === undefined || Number(port) === config.get(SERVER).port) return []
  return [
    `Careful: these hooks find the server only at port ${port}, which is not that of the settings: postern serve --port ${port}`,
  ]
}

/** A file with a token in it is a secret. */
export function warnOfReaders({ path, rights }: Found, server: PostServer | undefined): readonly string[] {
  if (!server) return []
  return [
    ...(((rights?.mode ?? 0) & 0o044) === 0
      ? []
      : [`Careful: others can read ${path}, which holds a token of the agent now: chmod 600 ${path}`]),
    ...(isInRepository(path)
      ? [`Careful: ${path} lies in a Git repository; the token in it must not be committed.`]
      : []),
  ]
}

function isInRepository(path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return true
    if (dirname(folder) === folder) return false
  }
}

const TOKENS = new RegExp(`${TOKEN_PREFIX}[A-Za-z0-9_-]{43}`, 'g')

/** A line of a file, without the secrets in it. */
export function hideTokens(line: string): string {
  return line.replace(TOKENS, NO_TOKEN)
}
