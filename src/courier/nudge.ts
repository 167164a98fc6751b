import { lookup } from 'node:dns/promises'
import { type ClientRequest, request } from 'node:http'
import { request as requestSecurely } from 'node:https'
import { isIP } from 'node:net'
import { reasonOf } from '../kit/pure/reason-of.ts'
import { NUDGE_PATH, type NudgeTarget, requireNudgeable } from './nudge-address.ts'

export interface NudgeParams {
  readonly target: NudgeTarget
  /** Read for each nudge: whoever is nudged may have made it only now. */
  readonly token: () => string
  readonly note: (event: string, fields: Readonly<Record<string, unknown>>) => void
  /** Turns a name into an address; the system's own way by default. */
  readonly resolve?: (host: string) => Promise<string>
}

export interface Nudger {
  /** Says that there is something to look at. Nobody waits for it, and it throws nothing. */
  nudge(): void
  /** Gives up what is under way. Safe to call twice. */
  close(): void
}

const TIMEOUT_MS = 5_000
const LEAST_GAP_MS = 1_000

/**
 * Nudges a wrapped agent, at most once a second: of several within it the last is sent when that is over. A name is
 * resolved once and kept, so that it cannot mean another machine later; only where it fails it is asked for again.
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
      // Said once, and again only when it has changed: a nudge is sent again anyway.
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

/** Wrapped agents mostly listen at 127.0.0.1, whatever else "localhost" may mean. */
async function resolveHost(host: string): Promise<string> {
  return isIP(host) > 0 ? host : (await lookup(host, { order: 'ipv4first' })).address
}

interface Posting {
  readonly address: string
  readonly token: string
  readonly signal: AbortSignal
}

/** The status of the answer. Nothing else of it is read, and it leads nowhere else. */
function post({ isSecure, host, port, authority }: NudgeTarget, { address, token, signal }: Posting): Promise<number> {
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
    // A certificate is asked for by a name only; without one it has to be that of the address.
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
