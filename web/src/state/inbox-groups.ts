import type { InboxMessage } from '../../../src/model/delivery.ts'

/** Why something is in a person's inbox: it asks, it is for them, or it is only good to know. */
export type InboxGroup = 'decide' | 'me' | 'fyi'

export const GROUP_TITLES: Readonly<Record<InboxGroup, string>> = {
  decide: 'Needs decision',
  me: 'To me',
  fyi: 'For your information',
}

const FYI_PRIORITY = 3
const FYI_TYPES: readonly string[] = ['event', 'space_message', 'service']

/** The decision that a message asks for, where it asks for one. */
export function decisionOf({ type, ref }: Pick<InboxMessage, 'type' | 'ref'>): string | undefined {
  return type === 'decision' && ref?.startsWith('decision:') ? ref.slice('decision:'.length) : undefined
}

/** Answered questions ask no more; what went to everybody, or is of low priority, is good to know. */
export function groupOf(message: InboxMessage, open: ReadonlySet<string>): InboxGroup {
  const decision = decisionOf(message)
  if (decision !== undefined) return open.has(decision) ? 'decide' : 'fyi'
  const isFyi = message.priority >= FYI_PRIORITY || message.to[0] === 'all' || FYI_TYPES.includes(message.type)
  return isFyi && message.priority > 0 ? 'fyi' : 'me'
}

export interface InboxSection {
  readonly group: InboxGroup
  readonly items: readonly InboxMessage[]
}

const ORDER: readonly InboxGroup[] = ['decide', 'me', 'fyi']

/** What is open, by group; within a group the urgent first, then the newest. */
export function sectionsOf(messages: Iterable<InboxMessage>, open: ReadonlySet<string>): readonly InboxSection[] {
  const groups: Record<InboxGroup, InboxMessage[]> = { decide: [], me: [], fyi: [] }
  for (const message of messages) groups[groupOf(message, open)].push(message)
  return ORDER.map((group) => ({ group, items: groups[group].sort(byUrgencyThenTime) }))
}

function byUrgencyThenTime(one: InboxMessage, other: InboxMessage): number {
  const urgency = Math.min(one.priority, 2) - Math.min(other.priority, 2)
  return urgency || other.createdAt - one.createdAt || other.inboxSeq - one.inboxSeq
}
