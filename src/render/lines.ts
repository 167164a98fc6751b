import { lazy } from '../kit/pure/lazy.ts'
import { skeletonOf } from '../model/agent.ts'
import type { InboxMessage, ShownForm } from '../model/delivery.ts'
import type { Sender } from '../model/message.ts'
import {
  type PlainMessageEvent,
  type ServiceEvent,
  type SpaceMessageEvent,
  toInboxEvent,
} from '../model/sources/inbox-event.ts'
import { LINE, NAME, neutralise, neutraliseTo, QUOTED, type Surface } from './neutralise.ts'
import { formatTime, NOT_AUTHENTICATED, token } from './provenance.ts'
import { isRepetition } from './repetition.ts'

const NAME_CHARACTERS = 80
const HEADLINE_CHARACTERS = 120

type Shown = InboxMessage & { readonly form?: ShownForm }

/**
 * Seed 001's format: a heading, then one line a message. What stands in round brackets comes from the sender's
 * credential alone; names are only names, and can contain neither brackets nor quotes.
 */
export function renderLines(messages: readonly Shown[], now: number): string {
  const heading = `INBOX (${messages.length} events, ${formatTime(now)}):`
  return [
    heading,
    ...messages.map((message) => (message.form === 'headline' ? headline(message) : line(message))),
  ].join('\n')
}

/** The line of a message, of which only the beginning is shown. */
export function renderPreview(message: InboxMessage): string {
  return line(message, (text, surface) => neutraliseTo(HEADLINE_CHARACTERS, text, surface))
}

/** What a message says is written by `write`. */
function line(message: InboxMessage, write: typeof neutralise = neutralise): string {
  const { from } = message
  const event = toInboxEvent(message)
  switch (event.type) {
    case 'space_message':
      return `${spaceHead(event.data, message)}: ${quoted(event.data.content, write)}`
    case 'plan':
      return `[Plan: ${name(event.data.planName)}${inBrackets(proofOf(message))}] ${write(event.data.instruction, LINE)}`
    case 'service':
      return `[Service: ${serviceHead(event.data, message)}] ${write(JSON.stringify(event.data.payload), LINE)}`
    case 'message':
      return (
        foreignLine(message, write) ??
        `[${token(event.data.type)}] ${token(from.id)}${inBrackets(doubtsOf(message))}: ${[words(event.data, write), ...passedOn(message, write)].join(' ')}`
      )
  }
}

/** The content, with the subject before it and the payload behind it where those say more. */
function words({ subject, content, payload }: PlainMessageEvent['data'], write: typeof neutralise): string {
  return [
    ...(subject === null || subject === content ? [] : [quoted(subject, write)]),
    quoted(content, write),
    ...(payload === null || isRepetition(payload, content) ? [] : [write(JSON.stringify(payload), LINE)]),
  ].join(' ')
}

/** Words of other authors, each under its name. */
function passedOn({ quotes = [] }: InboxMessage, write: typeof neutralise): readonly string[] {
  return quotes.map(({ what, from, text }) => {
    const marks = inBrackets([name(what), ...doubtOf(from)])
    return `quoting ${token(from.id)}${marks}: ${quoted(text, write)}`
  })
}

/**
 * What foreign producers push in the seed's own form reads as the seed has it, with who it was where the others have none:
 * it is neither a plan of the agent nor a service that has proven itself.
 */
function foreignLine(message: InboxMessage, write: typeof neutralise): string | undefined {
  const { type, from, subject, payload, content } = message
  if (from.via !== 'redis' || (type !== 'plan' && type !== 'service')) return undefined
  const given = type === 'plan' ? subject : (payload as Readonly<Record<string, unknown>> | null)?.['serviceName']
  const shown = typeof given === 'string' && given !== '' ? given : type
  const marks = inBrackets([...identityOf(from, shown), ...doubtsOf(message)])
  return `[${type === 'plan' ? 'Plan' : 'Service'}: ${name(shown)}${marks}] ${write(content, LINE)}`
}

function headline(message: InboxMessage): string {
  return `${renderPreview(message)} · headline only · fetch with: postern inbox show ${token(message.id)}`
}

function spaceHead({ spaceName, senderName, senderType }: SpaceMessageEvent['data'], message: InboxMessage): string {
  const marks = [...identityOf(message.from, senderName), senderType, ...doubtsOf(message)]
  return `[${nameOfSpace(spaceName)}] ${name(senderName)}${inBrackets(marks)}`
}

function serviceHead({ serviceName }: ServiceEvent['data'], message: InboxMessage): string {
  return `${name(serviceName)}${inBrackets([...identityOf(message.from, serviceName), ...doubtsOf(message)])}`
}

/** The sender's id, unless the name already says it. */
function identityOf(from: Sender, displayName: string): readonly string[] {
  return skeletonOf(displayName) === skeletonOf(from.id) ? [] : [token(from.id)]
}

function doubtOf(from: Sender): readonly string[] {
  return from.verified ? [] : ['unverified']
}

/** Whether the stored message is proven to be as it was pushed. */
function proofOf({ authenticated }: InboxMessage): readonly string[] {
  return authenticated === false ? [NOT_AUTHENTICATED] : []
}

function doubtsOf(message: InboxMessage): readonly string[] {
  return [...doubtOf(message.from), ...proofOf(message)]
}

function inBrackets(marks: readonly string[]): string {
  return marks.length > 0 ? ` (${marks.join(', ')})` : ''
}

function name(text: string): string {
  return neutraliseTo(NAME_CHARACTERS, text, NAME)
}

const posing = lazy(() => new RegExp(`^-?(?:${['plan', 'service'].map(skeletonOf).join('|')})-?[^\\p{L}\\p{N}-]`, 'u'))

/** No space is called so that its lines read like those of a plan or a service. */
function nameOfSpace(text: string): string {
  return `${posing().test(skeletonOf(text)) ? 'space ' : ''}${name(text)}`
}

function quoted(text: string, write: (text: string, surface: Surface) => string): string {
  return `"${write(text, QUOTED)}"`
}
