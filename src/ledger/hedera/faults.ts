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
