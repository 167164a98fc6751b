import { PosternError } from '../../model/errors.ts'

/** What this network is said to have done, with its name in every error. */
export interface Faults {
  unreachable(reason: string, cause?: unknown): PosternError
  refused(status: string): PosternError
}

export function createFaults(network: string): Faults {
  return {
    unreachable: (reason, cause) => new PosternError('LEDGER_UNREACHABLE', { network, reason }, { cause }),
    refused: (status) => new PosternError('LEDGER_REFUSED', { network, status }),
  }
}

/** Whoever failed says why, without what stands behind it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const inner = error.cause instanceof Error ? error.cause.message : ''
  return error.message === 'fetch failed' && inner ? inner : error.message
}
