import { isIP, isIPv4 } from 'node:net'
import { PosternError } from '../model/errors.ts'

/** Where a nudge goes, and whether the host may be another machine. */
export interface NudgeTarget {
  readonly isSecure: boolean
  /** Without the brackets of an IPv6 address. */
  readonly host: string
  readonly port: number
  /** The value of the `Host` header, with the port. */
  readonly authority: string
  /** True if the configuration lists it. Any other target must be on this machine. */
  readonly isListed: boolean
}

export const NUDGE_PATH = '/api/v1/agent/nudge'

/**
 * Parses the address of a wrapped agent. It must be on this machine, or be listed exactly as it is written. An unusual
 * spelling is refused, because it may be meant to slip past the list.
 */
export function parseNudgeUrl(text: string, listed: readonly string[]): NudgeTarget {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) throw refused(text, 'it is no HTTP address')
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (!isPlain || (url.pathname !== '/' && url.pathname !== NUDGE_PATH)) {
    throw refused(text, `it may have no path but ${NUDGE_PATH}, and nothing else`)
  }
  const isSecure = url.protocol === 'https:'
  const port = Number(url.port || (isSecure ? 443 : 80))
  const authority = `${url.hostname}:${port}`
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (!text.toLowerCase().startsWith(`${url.protocol}//${url.hostname}`)) throw refused(text, 'it is oddly written')
  if (port === 0) throw refused(text, 'nobody listens at port 0')
  const isListed = listed.some((each) => each.toLowerCase() === authority)
  if (!isListed && host !== 'localhost' && !isLoopback(host)) throw refused(text, 'it is not of this machine')
  return { isSecure, host, port, authority, isListed }
}

/**
 * Throws if a resolved address may not be nudged. Link-local addresses belong to the operator of the machine, such as a
 * cloud's metadata service, so no list opens them.
 */
export function requireNudgeable(address: string, { isListed, authority }: NudgeTarget): string {
  if (isLoopback(address)) return address
  if (!isListed) throw new Error(`${authority} is ${address}, which is not of this machine`)
  if (isIP(address) === 0 || isForbidden(address)) throw new Error(`${authority} is ${address}, which is never nudged`)
  return address
}

function isLoopback(address: string): boolean {
  return address === '::1' || (isIPv4(address) && address.startsWith('127.'))
}

/** Unspecified, link-local, multicast and cloud-metadata addresses, and IPv4 addresses written as IPv6. */
function isForbidden(address: string): boolean {
  if (isIPv4(address)) return /^(?:0\.|169\.254\.|2(?:2[4-9]|[3-5]\d)\.)/.test(address)
  return /^(?:::$|::ffff:|::[\da-f.]*\.|64:ff9b:|fd00:ec2:|fe[89ab][\da-f]:|ff[\da-f]{2}:)/i.test(address)
}

function refused(url: string, reason: string): PosternError {
  return new PosternError('VALUE_INVALID', {
    field: 'nudge',
    value: url,
    next: `The address is refused because ${reason}. Use one of this machine, such as "http://127.0.0.1:7777", or list its "host:port" as "wire.nudge" in the configuration.`,
  })
}
