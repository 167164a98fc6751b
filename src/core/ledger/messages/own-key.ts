import type { Message } from '../../../model/message.ts'

/** Whether its sender has given it a key, under which it may be sent again; those that we give have its id in them. */
export function hasOwnKey({ id, dedupKey }: Pick<Message, 'id' | 'dedupKey'>): boolean {
  return dedupKey !== null && !dedupKey.endsWith(`:${id}`)
}
