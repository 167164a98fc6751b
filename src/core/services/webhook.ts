import type { TriggerProof } from '../../model/sources/services.ts'
import type { Secrets } from '../context.ts'

/** Signatures of Standard Webhooks (https://www.standardwebhooks.com), version 1: HMAC-SHA256 under a shared secret. */

export const SIGNING_SECRET_PREFIX = 'whsec_'

/** Signed with where there is no secret, so that a refusal costs the same. */
export const STAND_IN_SECRET = `${SIGNING_SECRET_PREFIX}${'A'.repeat(43)}=`

const TOLERANCE_MS = 5 * 60_000
/** Whoever sends thousands of them wants us to be busy. */
const MAX_SIGNATURES = 8
const SECOND_MS = 1_000

type Signed = Exclude<TriggerProof, { key: string }>

/** Whether any of the first signatures is right. A sender signs with several secrets while it gets a new one. */
export function isSigned(secrets: Secrets, signingSecret: string, proof: Signed): boolean {
  const expected = signatureOf(secrets, signingSecret, proof)
  const given = proof.signature.split(' ', MAX_SIGNATURES)
  return given.map((signature) => secrets.isSame(signature, expected)).includes(true)
}

export function signatureOf(
  secrets: Secrets,
  signingSecret: string,
  { webhookId, timestamp, body }: Omit<Signed, 'signature'>,
): string {
  const key = signingSecret.slice(SIGNING_SECRET_PREFIX.length)
  return `v1,${secrets.sign(key, `${webhookId}.${timestamp}.${body}`)}`
}

/** What was signed long ago, or will be, may have been recorded by somebody else. */
export function isRecent(timestamp: string, now: number): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false
  return Math.abs(now - Number(timestamp) * SECOND_MS) <= TOLERANCE_MS
}
