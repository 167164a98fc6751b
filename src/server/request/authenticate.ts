import { AGENT_KINDS, parseAgentId } from '../../model/agent.ts'
import type { Caller } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { Credentials, Identity } from '../../model/network/tokens.ts'
import type { Exchange } from '../exchange.ts'
import type { Log } from '../log.ts'
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
  tokenId: 'socket',
  scope: { kind: 'admin', id: null },
  caller: { id: 'local', kind: 'local', verified: true, via: 'http' },
}

/** Says who asks: by a token in the header, a ticket in the URL, or the socket. */
export async function authenticate(guard: Guard, exchange: Exchange): Promise<Identity> {
  const identity = await identify(guard, exchange)
  // Whoever administers the server could stop it as well.
  if (identity.scope.kind !== 'admin') guard.rates.use(identity.tokenId)
  const as = exchange.request.headers['postern-as']
  return as === undefined ? identity : speakAs(identity, String(as))
}

async function identify(guard: Guard, { request, query, method, isLocal }: Exchange): Promise<Identity> {
  const { authorization } = request.headers
  const ticket = method === 'GET' ? query.get('ticket') : null
  if (authorization === undefined && ticket === null && isLocal) return OWNER
  if (authorization === undefined && ticket === null) throw new PosternError('NOT_AUTHENTICATED')
  const token = tokenIn(request)
  const found =
    authorization === undefined
      ? await redeem(guard, ticket ?? '')
      : token !== undefined && (await guard.credentials.identify(token))
  if (found) return found
  throw refuseGuess(guard, request.socket.remoteAddress ?? '')
}

/** The token of a request, if its header holds one. */
export function tokenIn({ headers }: Exchange['request']): string | undefined {
  return /^Bearer +([\x21-\x7e]{1,200})$/i.exec(headers.authorization ?? '')?.[1]
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
  if (refusal?.isFirst) log.warn('credentials.guessed', { address })
  return refusal?.error ?? error
}

const CALLER_KINDS: readonly string[] = [...AGENT_KINDS, 'local', 'system']
const AS_CHARACTERS = 500
const VIA = /^[a-z0-9][a-z0-9._-]{0,39}$/

/** An administrator may speak for another, as whoever has the store in their own hands can. */
function speakAs(identity: Identity, header: string): Identity {
  if (identity.scope.kind !== 'admin') {
    throw new PosternError('NOT_ALLOWED', {
      message: 'Only an administrator may speak for another.',
      next: 'Leave the header "Postern-As" out: your token says who you are.',
    })
  }
  return { ...identity, caller: parseCaller(header) }
}

function parseCaller(header: string): Caller {
  const { id, kind, verified, via } = parseObject(header)
  const isNobody = kind === 'local' || kind === 'system'
  const isSound =
    typeof id === 'string' &&
    typeof kind === 'string' &&
    CALLER_KINDS.includes(kind) &&
    typeof verified === 'boolean' &&
    typeof via === 'string' &&
    VIA.test(via) &&
    (!isNobody || id === kind)
  if (!isSound) throw new PosternError('INPUT_INVALID', { reason: 'the header "Postern-As" does not name a caller' })
  return { id: isNobody ? id : parseAgentId(id), kind: kind as Caller['kind'], verified, via }
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  if (text.length > AS_CHARACTERS) return {}
  try {
    return { ...JSON.parse(text) }
  } catch {
    return {}
  }
}
