import { z } from 'zod'
import { ADDS, dedupKey, LOOKS, list, SETS, type Tool, text, waitSeconds, whole } from './tool.ts'

/** What may be said of a message outside of the fence: identifiers and numbers, nothing that its sender wrote. */
const headline = z.object({
  id: z.string(),
  type: z.string(),
  from: z.string(),
  trust: z.string(),
  priority: whole,
  attempt: whole,
})

export const inboxCheck: Tool = {
  name: 'inbox_check',
  title: 'Check inbox',
  description:
    'Take the messages that wait for you, urgent first: at the start, between steps, before you finish. Your next call tells the senders that you saw them.',
  operations: ['inbox.drain', 'inbox.wait', 'inbox.ingest', 'inbox.printed', 'inbox.confirm', 'inbox.release'],
  input: z.object({
    waitSeconds: waitSeconds.optional().describe('Wait so long where nothing is there.'),
    maxTokens: whole.optional(),
    maxPriority: whole.optional().describe('Only as urgent: 0 critical … 4 fyi.'),
  }),
  output: z.object({
    text,
    messages: z.array(headline),
    remaining: whole,
  }),
  hints: ADDS,
  isAlwaysThere: true,
}

export const inboxAck: Tool = {
  name: 'inbox_ack',
  title: 'Acknowledge messages',
  description: 'Say that you have dealt with messages, so that their senders know.',
  operations: ['inbox.ack'],
  input: z.object({ ids: list, dedupKey: dedupKey.optional() }),
  output: z.object({ items: z.array(z.object({ id: z.string(), state: z.string() })) }),
  hints: SETS,
  keyField: 'dedupKey',
}

export const messageRead: Tool = {
  name: 'message_read',
  title: 'Read a message',
  description:
    'Read one message whole, with its thread. Of a message that you sent it also tells who has seen it, and why not yet.',
  operations: ['inbox.show', 'inbox.trace'],
  input: z.object({ id: z.string() }),
  output: z.object({
    text,
    receipts: z.array(z.object({ agent: z.string(), state: z.string(), attempt: whole })),
    why: z.string(),
  }),
  hints: LOOKS,
}

export const messageSearch: Tool = {
  name: 'message_search',
  title: 'Search messages',
  description: 'Find earlier messages by words, "phrases" or beginnings*.',
  operations: ['inbox.search'],
  input: z.object({ query: z.string(), limit: whole.optional() }),
  output: z.object({ text, ids: list }),
  hints: LOOKS,
}

export const peekInbox: Tool = {
  name: 'peek_inbox',
  title: 'Peek into the inbox',
  description: 'See what waits for you without taking it: the beginnings of messages.',
  operations: ['inbox.list'],
  input: z.object({ limit: whole.optional() }),
  output: z.object({ text, ids: list, hasMore: z.boolean() }),
  hints: LOOKS,
}
