import type { IncomingMessage } from 'node:http'
import { isToken } from '../../model/network/token.ts'

/**
 * The cookie by which a browser shows who has signed in to the page. No script can read it, and no page of others can
 * make the browser send it with a change. Servers of one machine share their cookies, so its name tells which it is of.
 */
export function tokenInCookie({ headers, socket }: IncomingMessage): string | undefined {
  const name = nameFor(socket.localPort)
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
  return value !== undefined && isToken(value) ? value : undefined
}

/** What sets it for so long; 0 takes it away. */
export function formatCookie({ headers, socket }: IncomingMessage, token: string, seconds: number): string {
  // A proxy that speaks TLS says so, and then it never goes out unencrypted.
  const isSecure = headers['x-forwarded-proto'] === 'https'
  return [
    `${nameFor(socket.localPort)}=${token}`,
    'Path=/',
    `Max-Age=${Math.max(0, Math.floor(seconds))}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isSecure ? ['Secure'] : []),
  ].join('; ')
}

function nameFor(port: number | undefined): string {
  return `postern_${port ?? 0}`
}
