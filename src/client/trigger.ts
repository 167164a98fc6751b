import { PosternError } from '../model/errors.ts'
import type { TriggerAgent } from '../model/sources/services.ts'
import { toRequest, type WireRequest } from './request.ts'

/**
 * Brings an event as outside systems do: what proves it stands in headers, and a signature holds for the body exactly as
 * it was signed.
 */
export function toTrigger({ agent, proof, trace, ...event }: TriggerAgent): WireRequest {
  const { method, path, body } = requestFor({ agent, ...event })
  const headers = { ...trace, ...('key' in proof ? { 'x-secret-key': proof.key } : signatureOf(proof)) }
  // No proof that was ever given out holds what a header cannot.
  if (Object.values(headers).some((value) => !/^[ -~]*$/.test(value))) throw new PosternError('TRIGGER_REFUSED')
  return { method, path, body: 'key' in proof ? (body ?? '') : proof.body, headers }
}

/** Whoever cannot prove to be the service learns nothing, not even that there cannot be such an agent. */
function requestFor(input: Omit<TriggerAgent, 'proof' | 'trace'>): WireRequest {
  try {
    return toRequest('services.trigger', { ...input })
  } catch (error) {
    const isAgent = error instanceof PosternError && error.code === 'AGENT_ID_INVALID'
    throw isAgent ? new PosternError('TRIGGER_REFUSED') : error
  }
}

function signatureOf(proof: Exclude<TriggerAgent['proof'], { readonly key: string }>): Record<string, string> {
  return {
    'webhook-id': proof.webhookId,
    'webhook-timestamp': proof.timestamp,
    'webhook-signature': proof.signature,
  }
}
