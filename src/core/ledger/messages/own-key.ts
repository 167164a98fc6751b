import type { Message } from '../../../model/message.ts'

/** Whether its sender has given it a key, under which it may be sent again; those that we give have its id in them. */
export function hasOwnKey({ id, dedupKey }: Pick<Message, 'id' | 'dedupKey'>): boolean {
  return dedupKey !== null && !dedupKey.endsWith(`:${id}`)
}

/** The key that we give a message of ours which has none, or whose own is taken. */
export function ledgerKey(id: string): string {
  return `ledger:${id}`
}

/** Under one key however it comes: pushed at once, late, or by its entry. */
export function keyed(message: Message): Message {
  return message.dedupKey === null ? { ...message, dedupKey: ledgerKey(message.id) } : message
}
