import type { News } from './connection.ts'

/** Whether an event tells of a delivery of this message. */
export function isDeliveryOf({ type, subject, data }: Pick<News, 'type' | 'subject' | 'data'>, id: string): boolean {
  const { messages = [] } = (data ?? {}) as { readonly messages?: readonly string[] }
  return type.startsWith('delivery.') && (subject === id || messages.includes(id))
}
