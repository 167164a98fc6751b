import { isLedgerId } from './topic.ts'

/** Who says to have written an entry. It is only a claim: the ledger vouches for the payer alone. */
export interface OperatorId {
  readonly inboundTopicId: string
  readonly account: string
}

/** `{inboundTopicId}@{account}`, as HCS-10 has it. */
export function formatOperatorId({ inboundTopicId, account }: OperatorId): string {
  return `${inboundTopicId}@${account}`
}

export function parseOperatorId(value: unknown): OperatorId | undefined {
  if (typeof value !== 'string') return undefined
  const [inboundTopicId, account, ...more] = value.split('@', 3)
  if (more.length > 0 || !isLedgerId(inboundTopicId) || !isLedgerId(account)) return undefined
  return { inboundTopicId, account }
}
