import { isProgram } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { SIGN_IN_PATH, SIGN_INS_PATH, WEB_PATH } from '../../model/network/paths.ts'
import type { Credentials } from '../../model/network/tokens.ts'
import { toWire } from '../../model/network/wire-json.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { type Asking, type Exchange, jsonReply, type Reply } from '../exchange.ts'
import { requireToken, tokenIn } from '../request/authenticate.ts'
import { parseBody, readText, requireJsonType } from '../request/body.ts'
import { formatCookie, tokenInCookie } from '../request/cookie.ts'
import { type Bearer, createTickets } from '../request/tickets.ts'

export interface SignInOptions {
  readonly credentials: Credentials
  readonly now: () => number
}

/** Long enough to carry a link to another window by hand. */
const LINK_MS = 5 * 60_000

const USED_UP = `This link was used already, or is older than five minutes. Run "postern ui" for another.
`

/**
 * How a person gets into the page: somebody with a token asks for a link, which is good once and for minutes; whoever
 * opens it has a cookie from then on, and the link is worth nothing.
 */
export function signInPages({ credentials, now }: SignInOptions): readonly Endpoint[] {
  // Of their own: what opens a stream must not open the page, nor the other way round.
  const tickets = createTickets(now, LINK_MS)
  // The server's owner may follow a link from a local file, which browsers treat as a page of somebody else.
  const ownersTickets = createTickets(now, LINK_MS)
  const redeem = (request: Exchange['request'], ticket: string): Bearer | undefined => {
    if (isNotMeant(request)) return undefined
    const owners = ownersTickets.redeem(ticket)
    if (owners || !comesFromElsewhere(request)) return owners ?? tickets.redeem(ticket)
    throw new PosternError('ORIGIN_REFUSED', { what: 'pages of others' })
  }

  return [
    {
      route: `POST ${SIGN_INS_PATH}`,
      name: 'signIns',
      isOpen: false,
      async answer(asking) {
        const bearer = await bearerFor(asking)
        const opensFromFile = asking.identity.scope.kind === 'admin'
        const { ticket, expiresAt } = (opensFromFile ? ownersTickets : tickets).issue(bearer)
        const path = `${SIGN_IN_PATH}?ticket=${ticket}`
        return jsonReply(201, toWire({ person: bearer.identity.caller.id, path, expiresAt, opensFromFile }))
      },
    },
    {
      route: `GET ${SIGN_IN_PATH}`,
      name: 'signIn',
      isOpen: true,
      async answer({ request, query }) {
        const to = targetOf(query.get('to'))
        const bearer = redeem(request, query.get('ticket') ?? '')
        const person = bearer && (await isStillGood(credentials, bearer)) ? bearer.identity.scope.id : null
        if (!bearer || person === null) return refuse(credentials, request, to)
        const { token, expiresAt } = await credentials.signIn({ person, tokenId: bearer.identity.tokenId })
        const seconds = ((expiresAt ?? now()) - now()) / 1_000
        return { status: 303, headers: { location: to, 'set-cookie': formatCookie(request, token, seconds) } }
      },
    },
    {
      route: `POST ${WEB_PATH}/leave`,
      name: 'signOut',
      isOpen: false,
      async answer({ request }) {
        const token = tokenInCookie(request)
        if (token !== undefined) await credentials.signOut(token)
        return { status: 204, headers: { 'set-cookie': formatCookie(request, '', 0) } }
      },
    },
  ]
}

/** People get a link for themselves, administrators for any person. Programs never become one. */
async function bearerFor(asking: Asking): Promise<Bearer> {
  const { identity, postern, request, response } = asking
  requireToken(identity)
  requireJsonType(request)
  const { person = identity.scope.id } = parseBody(await readText(request, response))
  if (typeof person !== 'string') throw new PosternError('INPUT_INVALID', { reason: 'it does not name a person' })
  const isOwn = identity.scope.kind === 'human' && identity.scope.id === person
  const { id, kind } = await postern.agents.show({ id: person })
  if (kind !== 'human' || (!isOwn && (identity.scope.kind !== 'admin' || isProgram(identity.caller)))) {
    throw new PosternError('NOT_ALLOWED', {
      message: `This token does not open the page as ${id}.`,
      next: 'People sign in as themselves, and administrators as any person: "postern ui --as <person>".',
    })
  }
  const token = tokenIn(request)
  const caller = { id, kind, verified: true, via: 'http' }
  return {
    identity: { tokenId: identity.tokenId, scope: { kind: 'human', id }, caller },
    ...(token !== undefined && { token }),
  }
}

/**
 * Some programs look at a link before anybody follows it. And nothing on the page leads here: where a browser says that it
 * comes from there, somebody has written the link into a message, to make its reader go on as another person.
 */
function isNotMeant({ method, headers }: Exchange['request']): boolean {
  return method === 'HEAD' || headers['sec-purpose'] !== undefined || headers['sec-fetch-site'] === 'same-origin'
}

/** A page of somebody else could otherwise sign its reader in as the person who wrote that page. */
function comesFromElsewhere({ headers: { 'sec-fetch-site': site } }: Exchange['request']): boolean {
  return site === 'cross-site' || site === 'same-site'
}

async function isStillGood(credentials: Credentials, { token }: Bearer): Promise<boolean> {
  return token === undefined || (await credentials.identify(token)) !== undefined
}

/** Whoever is signed in and opens an old link again only wants to see the page. */
async function refuse(credentials: Credentials, request: Exchange['request'], to: string): Promise<Reply> {
  const token = tokenInCookie(request)
  if (token !== undefined && (await credentials.identify(token))) return { status: 303, headers: { location: to } }
  return { status: 401, body: USED_UP, type: 'text/plain; charset=utf-8' }
}

/** A screen of the page, and nowhere else, also once the browser has followed its dots, written out or encoded. */
function targetOf(to: string | null): string {
  const isScreen = to !== null && /^\/ui\/[\w./?=&%-]*$/.test(to) && !/\/\/|(\.|%2e){2}/i.test(to)
  return isScreen ? to : `${WEB_PATH}/`
}
