import { RING_ALL } from '../../model/ring.ts'

/** The subject of copies to everybody. */
export const BROADCAST = 'inbox.broadcast'

/** All copies, of whomever. */
export const EVERY_COPY = 'inbox.>'

/** Signs that do not stand as they are. A legal agent id has none of them. */
const SPECIAL = /[^a-z0-9_-]/g

/** Names of consumers become names of files on the server. */
const MAX_DURABLE_TOKEN = 200

/**
 * One token of a subject for any text whatever. A legal agent id stands as it is. Every other sign becomes `=` and its
 * number, so that no text yields a wildcard, a second token or the token of another text. All of it is lower-case: on
 * some file systems consumers whose names differ only in case would be one.
 */
export function encodeToken(text: string): string {
  if (text === '') return '='
  return text.replace(SPECIAL, (sign) => numberOf(sign.charCodeAt(0)))
}

function numberOf(code: number): string {
  return code < 0x80 ? `=${code.toString(16).padStart(2, '0')}` : `=u${code.toString(16).padStart(4, '0')}`
}

/** The text of a token that `encodeToken` made. */
export function decodeToken(token: string): string {
  if (token === '=') return ''
  return token.replace(/=(?:u([0-9a-f]{4})|([0-9a-f]{2}))/g, (_, wide: string | undefined, narrow: string) =>
    String.fromCharCode(Number.parseInt(wide ?? narrow, 16)),
  )
}

export function ringSubject(name: string): string {
  return `postern.ring.${encodeToken(name)}`
}

/** Where the copies to an agent go, or those to everybody: null. */
export function copySubject(agent: string | null): string {
  return agent === null ? BROADCAST : `inbox.targeted.${encodeToken(agent)}`
}

/** All subjects by which a name is rung: by a ring, and by every copy that comes for it. */
export function subjectsOf(name: string): readonly string[] {
  if (name === RING_ALL) return [ringSubject(name), BROADCAST]
  return name.startsWith('@') ? [ringSubject(name)] : [ringSubject(name), copySubject(name)]
}

export interface Durable {
  readonly name: string
  readonly subject: string
}

/** What an agent takes from. Two of them, because a consumer of nats-server 2.9 has one filter only. */
export function durablesOf(agent: string): readonly Durable[] {
  const token = encodeToken(agent)
  if (token.length > MAX_DURABLE_TOKEN) throw new RangeError(`"${agent}" is too long for the name of a consumer`)
  return [
    { name: `inbox-${token}`, subject: copySubject(agent) },
    { name: `broadcast-${token}`, subject: BROADCAST },
  ]
}
