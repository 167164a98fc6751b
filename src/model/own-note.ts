import type { InboxMessage } from './delivery.ts'
import { VIA_PLAN } from './sources/inbox-event.ts'

/** Whether an agent has sent itself this message. A plan that it has set is more than a note: it wakes the agent. */
export function isOwnNote({ agent, from }: InboxMessage): boolean {
  return from.id === agent && from.via !== VIA_PLAN
}
