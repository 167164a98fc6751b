import { skeletonOf } from '../model/agent.ts'
import type { InboxMessage } from '../model/delivery.ts'
import type { Json } from '../model/json.ts'
import type { Sender } from '../model/message.ts'
import { LINE, NAME, neutralise, neutraliseTo, QUOTED } from './neutralise.ts'
import { formatTime, token } from './provenance.ts'

const NAME_CHARACTERS = 80

/**
 * Seed 001's format: a heading, then one line a message. What stands in round brackets comes from the sender's
 * credential alone; names are only names, and can contain neither brackets nor quotes.
 */
export function renderLines(messages: readonly InboxMessage[], now: number): string {
  const heading = `INBOX (${messages.length} events, ${formatTime(now)}):`
  return [heading, ...messages.map(renderLine)].join('\n')
}

function renderLine(message: InboxMessage): string {
  const { type, from } = message
  if (type === 'space_message') return spaceLine(message)
  // These two formats name no sender, so they are kept for those who may speak that way.
  if (type === 'plan' && (from.id === message.agent || from.kind === 'system')) return planLine(message)
  if (type === 'service' && from.kind === 'service') return serviceLine(message)
  return `[${token(type)}] ${token(from.id)}${inBrackets(doubtOf(from))}: ${quotedContent(message)}`
}

function spaceLine(message: InboxMessage): string {
  const { from, to } = message
  const space = textOf(message, 'spaceName') ?? to[0] ?? 'space'
  const sender = textOf(message, 'senderName') ?? from.id
  const kind = from.kind === 'ai' ? 'agent' : token(from.kind)
  return `[${name(space)}] ${name(sender)}${inBrackets([...identityOf(from, sender), kind, ...doubtOf(from)])}: ${quotedContent(message)}`
}

function planLine(message: InboxMessage): string {
  const plan = textOf(message, 'planName') ?? message.subject ?? 'plan'
  return `[Plan: ${name(plan)}] ${neutralise(textOf(message, 'instruction') ?? message.content, LINE)}`
}

function serviceLine(message: InboxMessage): string {
  const service = textOf(message, 'serviceName') ?? message.from.id
  const marks = [...identityOf(message.from, service), ...doubtOf(message.from)]
  const data = fieldOf(message, 'payload') ?? message.payload ?? message.content
  return `[Service: ${name(service)}${inBrackets(marks)}] ${neutralise(JSON.stringify(data), LINE)}`
}

/** The sender's id, unless the name already says it. */
function identityOf(from: Sender, displayName: string): readonly string[] {
  return skeletonOf(displayName) === skeletonOf(from.id) ? [] : [token(from.id)]
}

function doubtOf(from: Sender): readonly string[] {
  return from.verified ? [] : ['unverified']
}

function inBrackets(marks: readonly string[]): string {
  return marks.length > 0 ? ` (${marks.join(', ')})` : ''
}

function name(text: string): string {
  return neutraliseTo(NAME_CHARACTERS, text, NAME)
}

function quotedContent(message: InboxMessage): string {
  return `"${neutralise(message.content, QUOTED)}"`
}

function textOf(message: InboxMessage, key: string): string | undefined {
  const value = fieldOf(message, key)
  return typeof value === 'string' ? value : undefined
}

function fieldOf({ payload }: InboxMessage, key: string): Json | undefined {
  if (payload === null || typeof payload !== 'object' || Array.isArray(payload) || !Object.hasOwn(payload, key))
    return undefined
  return (payload as { readonly [key: string]: Json })[key]
}
