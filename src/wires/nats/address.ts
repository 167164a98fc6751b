import { encodeToken } from './subjects.ts'

export interface NatsAddress {
  readonly servers: string[]
  readonly user?: string
  readonly pass?: string
  readonly token?: string
  /** Where answers come to, of each user for itself: who may hear the answers of others reads what is carried to them. */
  readonly inboxPrefix?: string
  readonly tls?: Record<string, never>
  /** Fit to be shown: who is let in, and by what, is left out. */
  readonly shown: string
}

/**
 * Reads `nats://[user:password@ or token@]host[:port]`, `tls://…` for servers that must be encrypted, and several of
 * them with commas between. The driver reads neither names nor passwords from addresses, so they are taken out here.
 */
export function parseNatsUrl(text: string): NatsAddress {
  const urls = text.split(',').map((part) => parsePart(part.trim()))
  const [first] = urls.filter(({ username }) => username !== '')
  const user = first && decode(first.username)
  const pass = first && decode(first.password)
  return {
    servers: urls.map(({ host }) => host),
    ...(user === undefined ? {} : pass ? { user, pass, inboxPrefix: `_INBOX_${encodeToken(user)}` } : { token: user }),
    ...(urls.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}),
    shown: urls.map(({ protocol, host }) => `${protocol}//${host}`).join(','),
  }
}

/** A password may have a `%` that nobody has encoded: then it stands as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function parsePart(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && (url.protocol === 'nats:' || url.protocol === 'tls:') && url.hostname !== '') return url
  // Not with the text itself: it may hold a password.
  throw new RangeError('a NATS server is reached at nats://host:port or tls://host:port')
}
