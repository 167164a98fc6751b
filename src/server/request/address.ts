import type { IncomingMessage } from 'node:http'
import { PosternError } from '../../model/errors.ts'

/** Names under which a server on this machine is known to its own programs and browsers. */
const OWN_NAMES = ['localhost', '127.0.0.1', '[::1]']

export interface Expected {
  /** The host that the target of the request names. */
  readonly authority?: string | undefined
  /** Names of this server beside those of the machine. */
  readonly names: readonly string[]
  /** What is asked for may be opened by a link on a page of somebody else. */
  readonly isLinkable?: boolean
}

/**
 * A page of somebody else can make its reader's browser send requests here, and can even make its own name point here.
 * Neither can it choose another `Host` than its own, nor leave the `Origin` out: so both are looked at.
 */
export function requireOwnAddress(request: IncomingMessage, { names, authority, isLinkable = false }: Expected): void {
  const { host = '', origin, 'sec-fetch-site': site } = request.headers
  for (const asked of [host, authority ?? host])
    if (!isOwn(request, names, asked)) throw new PosternError('ORIGIN_REFUSED', { what: `the host ${asked}` })
  if (origin !== undefined && !isOwn(request, names, authorityOf(origin))) {
    throw new PosternError('ORIGIN_REFUSED', { what: `pages of ${origin}` })
  }
  if (site === undefined || site === 'same-origin' || site === 'none') return
  if (!isLinkable || !isFollowedLink(request)) {
    throw new PosternError('ORIGIN_REFUSED', { what: 'pages of others' })
  }
}

/** With two `Host` headers, a proxy may have checked the other one. */
export function requireOneHost({ rawHeaders }: IncomingMessage): void {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === 'host') hosts++
  if (hosts > 1) throw new PosternError('REQUEST_INVALID', { reason: 'it names more than one host' })
}

/** A link that somebody has followed opens a window of its own, into which no page of others can look. */
function isFollowedLink({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
}

/** Host and port of an origin; what is none has neither. */
function authorityOf(origin: string): string {
  return /^https?:\/\/([^/?#@]+)$/i.exec(origin)?.[1] ?? ''
}

function isOwn({ socket }: IncomingMessage, names: readonly string[], authority: string): boolean {
  const [, name = '', port = '80'] = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i.exec(authority.toLowerCase()) ?? []
  // Names that the owner has set are those of a proxy, which has a port of its own.
  if (names.includes(name)) return true
  if (Number(port) !== socket.localPort) return false
  // An address cannot be made to point elsewhere, as a name can.
  return OWN_NAMES.includes(name) || name === bracketed(socket.localAddress ?? '')
}

function bracketed(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  return plain.includes(':') ? `[${plain}]` : plain
}
