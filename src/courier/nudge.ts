import { lookup } from 'node:dns/promises'
import { type ClientRequest, request } from 'node:http'
import { request as requestSecurely } from 'node:https'
import { isIP } from 'node:net'
import { reasonOf } from '../kit/pure/reason-of.ts'
import { NUDGE_PATH, type NudgeTarget, requireNudgeable } from './nudge-address.ts'

export interface NudgeParams {
  readonly target: NudgeTarget
  /** Called for each nudge, because the wrapped agent may have created the token only now. */
  readonly token: () => string
  readonly note: (event: string, fields: Readonly<Record<string, unknown>>) => void
  /** Resolves a name to an address; by the system's resolver by default. */
  readonly resolve?: (host: string) => Promise<string>
}

export interface Nudger {
  /** Tells the wrapped agent to check its mail. Returns at once and never throws. */
  nudge(): void
  /** Aborts a nudge that is under way. Safe to call twice. */
  close(): void
}

const TIMEOUT_MS = 5_000
const LEAST_GAP_MS = 1_000

/**
 * Nudges a wrapped agent at most once a second; nudges within that second become one at its end. A name is resolved
 * once and kept, so that it cannot mean another machine later. It is resolved again only after a failed nudge.
 */
export function createNudger({ target, token, note, resolve = resolveHost }: NudgeParams): Nudger {
  let address: string | undefined
  let timer: NodeJS.Timeout | undefined
  let isWanted = false
  let isClosed = false
  let fault = ''
  const giveUp = new AbortController()

  async function send(): Promise<void> {
    try {
      address ??= requireNudgeable(await resolve(target.host), target)
      const status = await post(target, { address, token: token(), signal: giveUp.signal })
      if (status < 200 || status > 299) throw new Error(`it answered ${status}`)
      fault = ''
    } catch (error) {
      address = undefined
      const reason = reasonOf(error)
      // Noted once, and again only if the reason changes. The round sends further nudges anyway.
      if (!isClosed && reason !== fault) note('courier.nudge', { to: target.authority, reason })
      fault = reason
    }
  }

  function nudge(): void {
    if (isClosed) return
    isWanted = true
    if (timer) return
    isWanted = false
    timer = setTimeout(() => {
      timer = undefined
      if (isWanted) nudge()
    }, LEAST_GAP_MS)
    void send()
  }

  return {
    nudge,
    close() {
      isClosed = true
      clearTimeout(timer)
      giveUp.abort()
    },
  }
}

/** Prefers IPv4: wrapped agents usually listen on 127.0.0.1, and "localhost" may also mean ::1. */
async function resolveHost(host: string): Promise<string> {
  return isIP(host) > 0 ? host : (await lookup(host, { order: 'ipv4first' })).address
}

interface NudgeRequest {
  readonly address: string
  readonly token: string
  readonly signal: AbortSignal
}

/** Sends the request and returns the status. The body is not read, and redirects are not followed. */
function post(
  { isSecure, host, port, authority }: NudgeTarget,
  { address, token, signal }: NudgeRequest,
): Promise<number> {
  const options = {
    host: address,
    port,
    path: NUDGE_PATH,
    method: 'POST',
    headers: { Host: authority, Authorization: `Bearer ${token}`, 'Content-Length': '0', Connection: 'close' },
    agent: false as const,
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  }
  return new Promise((resolve, reject) => {
    // TLS names a host only if it is not an address. Otherwise the certificate must be for the address.
    const servername = isIP(host) > 0 ? '' : host
    const sent: ClientRequest = isSecure ? requestSecurely({ ...options, servername }) : request(options)
    sent.on('response', (response) => {
      resolve(response.statusCode ?? 0)
      response.destroy()
    })
    sent.on('error', (error: NodeJS.ErrnoException) => reject(new Error(error.code ?? error.message)))
    sent.end()
  })
}
