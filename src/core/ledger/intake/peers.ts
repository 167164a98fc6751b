import type { LedgerFile } from '../../../ledger/codec.ts'
import { isLedgerId } from '../../../model/ledger/topic.ts'

/** The outbound topic that somebody's profile names; null where it names none. */
export function outboundOf(profile: LedgerFile | undefined): string | null {
  if (!profile) return null
  try {
    const fields: unknown = JSON.parse(profile.content)
    const topicId = (fields as { readonly outboundTopicId?: unknown } | null)?.outboundTopicId
    return isLedgerId(topicId) ? topicId : null
  } catch {
    return null
  }
}
