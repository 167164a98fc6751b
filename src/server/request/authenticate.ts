import { AGENT_KINDS, parseAgentId } from '../../model/agent.ts'
import { type Caller, LOCAL_CALLER } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { type Credentials, type Identity, OF_SOCKET } from '../../model/network/tokens.ts'
import type { Exchange } from '../exchange.ts'
import type { Log } from '../log.ts'
import { tokenInCookie } from './cookie.ts'
import type { Rates } from './rates.ts'
import type { Tickets } from './tickets.ts'

export interface Guard {
  readonly credentials: Credentials
  readonly tickets: Tickets
  readonly rates: Rates
  readonly log: Log
}

/** Whoever can open the socket is the owner of the home, who could read the first token too. */
const OWNER: Identity = {
  tokenId: OF_SOCKET,
  scope: { kind: 'admin', id: null },
  caller: { id: 'local', kind: 'local', verified: true, via: 'http' },
}

/**
 * Refuses a credential to a request over the socket without a token. Any process of the owner can open the socket, an
 * agent's
 * too, and what is done with a credential is recorded as verified.
 */
export function requireToken({ tokenId }: Identity): void {
  if (tokenId !== OF_SOCKET) return
  throw new PosternError('NOT_ALLOWED', {
    message: 'A request over the UNIX socket without a token gets no credential.',
    next: 'Use "postern token create" or "postern ui", or send the token of an administrator.',
  })
}

/** Says who asks: by a token in the header, a ticket in the URL, the cookie of the page, or the socket. */
export async function authenticate(guard: Guard, exchange: Exchange): Promise<Identity> {
  const identity = await identify(guard, exchange)
  // Whoever administers the server could stop it as well.
  if (identity.scope.kind !== 'admin') guard.rates.use(identity.tokenId)
  const as = exchange.request.headers['postern-as']
  return as === undefined ? identity : speakAs(guard, identity, String(as))
}

async function identify(guard: Guard, exchange: Exchange): Promise<Identity> {
  const { request, query, method } = exchange
  const { authorization } = request.headers
  const ticket = method === 'GET' ? query.get('ticket') : null
  if (authorization === undefined && ticket === null) return identifyByPlace(guard, exchange)
  const token = tokenIn(request)
  const found =
    authorization === undefined
      ? await redeem(guard, ticket ?? '')
      : token !== undefined && (await guard.credentials.identify(token))
  if (found) return found
  throw refuseGuess(guard, request.socket.remoteAddress ?? '')
}

/**
 * Who sends nothing by itself is known by where it comes from: our page, to which the browser adds its cookie, or the
 * socket.
 */
async function identifyByPlace({ credentials }: Guard, { request, method, isLocal }: Exchange): Promise<Identity> {
  if (isLocal) return OWNER
  const token = tokenInCookie(request)
  if (token === undefined) throw new PosternError('NOT_AUTHENTICATED')
  requirePage(request, method)
  const identity = await credentials.identify(token)
  // No guess: it is far too long for that, and a page that was open for weeks asks with one that is over.
  if (identity) return identity
  throw new PosternError('NOT_AUTHENTICATED')
}

/**
 * A browser adds a cookie to whatever it is made to send. That the page asks for the change itself is said by the browser
 * too, and cannot be said by other pages: where it is not said, nothing is changed. What it says wrong was refused
 * before.
 */
function requirePage({ headers }: Exchange['request'], method: string): void {
  const isSaid = headers.origin !== undefined || headers['sec-fetch-site'] === 'same-origin'
  if (method === 'GET' || isSaid) return
  throw new PosternError('ORIGIN_REFUSED', { what: 'changes that do not say which page they come from' })
}

/** The token of a request, in its header or in its cookie. */
export function tokenIn(request: Exchange['request']): string | undefined {
  const { authorization } = request.headers
  if (authorization === undefined) return tokenInCookie(request)
  return /^Bearer +([\x21-\x7e]{1,200})$/i.exec(authorization)?.[1]
}

/** Whoever has waited is told nothing if their token was revoked meanwhile. */
export async function requireStillGood({ credentials }: Guard, request: Exchange['request']): Promise<void> {
  const token = tokenIn(request)
  if (token === undefined || (await credentials.identify(token))) return
  throw new PosternError('NOT_AUTHENTICATED')
}

async function redeem({ tickets, credentials }: Guard, ticket: string): Promise<Identity | undefined> {
  const bearer = tickets.redeem(ticket)
  const isGood = bearer?.token === undefined || (await credentials.identify(bearer.token)) !== undefined
  return isGood ? bearer?.identity : undefined
}

/** Counts a wrong credential, and makes the refusal: who guesses too often is not even told that it was wrong. */
export function refuseGuess(
  { rates, log }: Guard,
  address: string,
  error: PosternError = new PosternError('NOT_AUTHENTICATED'),
): PosternError {
  const refusal = rates.wrong(address)
  if (refusal?.isFirst) log.note('credentials.guessed', { address })
  return refusal?.error ?? error
}

const NAMED_KINDS: readonly string[] = [...AGENT_KINDS, 'local']
const AS_CHARACTERS = 500
const VIA = /^[a-z0-9][a-z0-9._-]{0,39}$/

/**
 * An administrator may speak for another, as a process that opens the store can. That is the administrator's word: only a
 * token of its own makes a caller verified, and only the register says what it is. Postern itself speaks through no door.
 */
async function speakAs({ credentials }: Guard, identity: Identity, header: string): Promise<Identity> {
  if (identity.scope.kind !== 'admin') {
    throw new PosternError('NOT_ALLOWED', {
      message: 'Only an administrator may speak for another.',
      next: 'Leave the header "Postern-As" out: your token says who you are.',
    })
  }
  const { id, via } = parseNamed(header)
  if (id === LOCAL_CALLER.id) return { ...identity, caller: { ...LOCAL_CALLER, via } }
  const kind = await credentials.kindOf(parseAgentId(id))
  if (kind === undefined) throw new PosternError('INPUT_INVALID', { reason: `"Postern-As": nobody is called ${id}` })
  return { ...identity, caller: { id, kind, verified: false, via } }
}

/** Clients also send a kind and whether the caller is verified. Neither is believed, but both must have their form. */
function parseNamed(header: string): Pick<Caller, 'id' | 'via'> {
  const { id, kind, verified, via } = parseObject(header)
  const isSound =
    typeof id === 'string' &&
    typeof kind === 'string' &&
    NAMED_KINDS.includes(kind) &&
    typeof verified === 'boolean' &&
    typeof via === 'string' &&
    VIA.test(via) &&
    (kind === 'local') === (id === LOCAL_CALLER.id)
  if (!isSound) throw new PosternError('INPUT_INVALID', { reason: 'the header "Postern-As" does not name a caller' })
  return { id, via }
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  if (text.length > AS_CHARACTERS) return {}
  try {
    return { ...JSON.parse(text) }
  } catch {
    return {}
  }
}
