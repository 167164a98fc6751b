import { createHmac } from 'node:crypto'
import type { TriggerProof } from '../../src/model/sources/services.ts'

type Signed = Extract<TriggerProof, { readonly webhookId: string }>

export interface Delivery {
  readonly body: string
  readonly webhookId: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Signs as the standard says, and not as we do it: HMAC-SHA256 of `id.seconds.body` under the bytes after `whsec_`. */
export function signAs(signingSecret: string, { body, webhookId, at }: Delivery): Signed {
  const timestamp = String(Math.floor(at / 1_000))
  const key = Buffer.from(signingSecret.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', key).update(`${webhookId}.${timestamp}.${body}`).digest('base64')
  return { webhookId, timestamp, signature: `v1,${signature}`, body }
}
